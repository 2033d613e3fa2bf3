"""What classes of flats over finite fields share."""
