"""Find where cards lie in a picture: four sides each, complete or completed. Knows no deck."""
