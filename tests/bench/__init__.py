"""What counting costs: measurements, and the documents made of them."""
