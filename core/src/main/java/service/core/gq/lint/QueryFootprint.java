package service.core.gq.lint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.value.ValueType;

/**
 * The types that one query reads and writes and the columns that it returns, derived from its plan.
 *
 * @param reads names of the types that it reads, in alphabetical order
 * @param writes names of the types that its statements write, in alphabetical order
 * @param cascades names of the edge types whose edges are deleted with a node, in alphabetical order
 * @param columns of what it returns, in order; empty for a mutation that returns nothing
 */
public record QueryFootprint(
        String name,
        boolean mutation,
        List<Parameter> parameters,
        List<String> reads,
        List<String> writes,
        List<String> cascades,
        List<Column> columns) {
    /**
     * A result column.
     *
     * @param type as the schema language writes it; for an entity the names of its types
     */
    public record Column(String name, String type) {}

    static QueryFootprint of(Plan plan, Catalog catalog) {
        return switch (plan) {
            case Plan.Read read -> ofRead(read, catalog);
            case Plan.Mutation mutation -> ofMutation(mutation, catalog);
        };
    }

    private static QueryFootprint ofRead(Plan.Read read, Catalog catalog) {
        SortedSet<String> reads = new TreeSet<>();
        addRead(read, catalog, reads);
        return new QueryFootprint(
                read.name(),
                false,
                read.parameters(),
                List.copyOf(reads),
                List.of(),
                List.of(),
                columns(read, catalog));
    }

    private static List<Column> columns(Plan.Read read, Catalog catalog) {
        List<Column> columns = new ArrayList<>();
        for (Plan.Output output : read.result().outputs()) {
            columns.add(new Column(output.column(), typeOf(output.expression().type(), catalog)));
        }
        return List.copyOf(columns);
    }

    private static void addRead(Plan.Read read, Catalog catalog, SortedSet<String> reads) {
        read.variables().forEach(variable -> reads.addAll(names(variable.types(), catalog)));
        read.allStages().forEach(stage -> addEdges(stage.match(), catalog, reads));
    }

    private static void addEdges(Pattern pattern, Catalog catalog, SortedSet<String> reads) {
        for (Pattern.Traversal traversal : pattern.traversals()) {
            reads.addAll(names(traversal.edgeTypes(), catalog));
            Walk.Rule rule = traversal.walk() == null ? null : traversal.walk().rule();
            if (rule != null) {
                addEdges(rule.where(), catalog, reads);
            }
        }
        pattern.blocks().forEach(block -> addEdges(block.pattern(), catalog, reads));
    }

    private static QueryFootprint ofMutation(Plan.Mutation mutation, Catalog catalog) {
        SortedSet<String> reads = new TreeSet<>();
        SortedSet<String> writes = new TreeSet<>();
        SortedSet<String> cascades = new TreeSet<>();
        if (mutation.rows() != null) {
            addRead(mutation.rows(), catalog, reads);
        }
        mutation.statements().forEach(statement -> addStatement(statement, catalog, reads, cascades));
        mutation.statements().forEach(statement -> writes.addAll(names(statement.types(), catalog)));
        return new QueryFootprint(
                mutation.name(),
                true,
                mutation.parameters(),
                List.copyOf(reads),
                List.copyOf(writes),
                List.copyOf(cascades),
                mutation.answer() == null ? List.of() : columns(mutation.answer(), catalog));
    }

    private static void addStatement(
            Plan.Statement statement, Catalog catalog, SortedSet<String> reads, SortedSet<String> cascades) {
        switch (statement) {
            case Plan.Statement.InsertNode ignored -> {}
            case Plan.Statement.InsertEdge edge -> reads.addAll(ends(edge.type(), catalog));
            case Plan.Statement.Update update -> reads.addAll(names(update.types(), catalog));
            case Plan.Statement.Delete delete -> {
                reads.addAll(names(delete.types(), catalog));
                cascades.addAll(edgesAt(delete.types(), catalog));
            }
            case Plan.Statement.UpdateBound ignored -> {}
            case Plan.Statement.DeleteBound delete -> cascades.addAll(edgesAt(delete.types(), catalog));
            case Plan.Statement.ForEach each ->
                each.statements().forEach(inner -> addStatement(inner, catalog, reads, cascades));
        }
    }

    /** An insert of an edge reads both ends, because they must exist. */
    private static List<String> ends(int edgeType, Catalog catalog) {
        return catalog.requireType(edgeType) instanceof EntityType.EdgeType edge
                ? Stream.of(edge.source(), edge.destination())
                        .flatMap(end -> end.types().stream())
                        .map(EdgeEnd.NodeName::name)
                        .toList()
                : List.of();
    }

    private static List<String> edgesAt(List<Integer> nodeTypes, Catalog catalog) {
        return catalog.edges().stream()
                .filter(edge -> nodeTypes.stream()
                        .anyMatch(node ->
                                edge.source().has(node) || edge.destination().has(node)))
                .map(EntityType.EdgeType::name)
                .toList();
    }

    private static List<String> names(Collection<Integer> types, Catalog catalog) {
        return types.stream().map(type -> catalog.requireType(type).name()).toList();
    }

    /** A type as the schema language writes it; for an entity the names of its types, and `null` for no value. */
    public static String typeOf(@Nullable ValueType type, Catalog catalog) {
        return switch (type) {
            case ValueType.Entity entity -> String.join(" | ", names(entity.types(), catalog));
            case ValueType.ListOf list -> "[" + typeOf(list.item(), catalog) + "]";
            case ValueType.Struct struct ->
                struct.fields().stream()
                        .map(field -> field.name() + ": " + typeOf(field.type(), catalog))
                        .collect(Collectors.joining(", ", "{", "}"));
            case null -> "null";
            case ValueType plain -> plain.toString();
        };
    }
}
