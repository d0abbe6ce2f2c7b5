"""What a pad's light shows, as the models tell it."""

GREEN, RED, DARK = "#004000", "#400000", "#000000"
