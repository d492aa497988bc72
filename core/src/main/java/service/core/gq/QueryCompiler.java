package service.core.gq;

import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;
import service.core.text.Work;

/** Compiles GQ: {@link PlanCache} in a server. Any thread. */
@FunctionalInterface
public interface QueryCompiler {
    /**
     * Compiles the query or statement that a source asks for.
     *
     * @param name the query of the source; may be null when there is exactly one
     * @param work told of every step; may end the compilation
     * @throws service.core.error.ServiceException BAD_REQUEST with diagnostics
     */
    CompiledSource compile(String source, @Nullable String name, Catalog catalog, Work work);
}
