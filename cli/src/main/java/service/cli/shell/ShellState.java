package service.cli.shell;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.cli.client.GraphClient.Target;
import service.cli.render.Rows;

/** The shell's state between inputs. One thread. */
final class ShellState {
    /**
     * A parameter's value.
     *
     * @param type as GQ writes it; declares the parameter of a query without a name
     */
    record Parameter(String type, JsonNode value) {}

    final Map<String, Parameter> parameters = new TreeMap<>();
    final Map<String, JsonNode> settings = new TreeMap<>();

    @Nullable
    String branch;

    @Nullable
    String snapshot;

    /** The time at which the branch is read; null for its head. */
    @Nullable
    String asOf;

    Rows.Format format;
    boolean timing = true;

    ShellState(Rows.Format format) {
        this.format = format;
    }

    Target target() {
        return new Target(branch, snapshot, asOf);
    }
}
