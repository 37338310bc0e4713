"""How a step is made: device functions, built by factories from the scalar type and the features of a scene."""
