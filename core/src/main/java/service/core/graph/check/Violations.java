package service.core.graph.check;

import java.util.function.Consumer;
import service.core.error.ServiceException;
import service.core.schema.IndexDefinition;

/** Receives the violations of a change set. */
public interface Violations extends Consumer<ServiceException> {
    /** Receives the violation of a unique index. */
    default void ofIndex(IndexDefinition unique, ServiceException violation) {
        accept(violation);
    }
}
