package service.core.schema;

import java.util.List;

/**
 * An interface: the properties that its implementing node types share. The properties here carry the interface's own
 * identities; each implementing type holds its own property of the same name and type.
 */
public record InterfaceType(int identity, String name, List<Property> properties, List<Integer> implementers) {}
