package service.core.gq.eval;

import service.core.event.Image;

/** The entity in a slot of an evaluation. */
public record EntityRow(int type, String typeName, String id, Image image) {}
