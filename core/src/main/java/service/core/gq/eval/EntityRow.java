package service.core.gq.eval;

import service.core.event.Image;

/** The entity in slot 0 of an evaluation. */
public record EntityRow(int type, String typeName, String id, Image image) {}
