"""What every room uses: errors, files, steps, progress, escapes; it contains nothing about learning."""
