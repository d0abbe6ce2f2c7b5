"""One picture of a card laid over another: place, light, bend, shadow. Knows no deck."""
