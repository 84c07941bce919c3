"""What goes in and comes out of the API, as pydantic models; the OpenAPI document is written from them."""
