"""What every room uses: errors, files, steps, progress, escapes; it knows nothing of learning."""
