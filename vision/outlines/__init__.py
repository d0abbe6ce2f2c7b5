"""Where cards lie in a picture: four sides each, whole or completed. Knows no deck."""
