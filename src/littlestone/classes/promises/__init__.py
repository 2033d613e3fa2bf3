"""What a class may promise besides: each promise is a class to derive from."""
