package service.core.gq;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.CompiledSource.Request;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * Estimates the heap bytes that a compiled source holds, by a walk over its plan. The number of characters says little
 * about them: a character costs between 1 byte (in a text) and 120 (in {@code 1+1+1}), and a property of an interface
 * with many types costs some bytes for each type. Stateless.
 */
public final class PlanWeight {
    /** A record with the list or the boxed number that it usually holds. */
    private static final long OBJECT = 48;

    /** A position in the source. */
    private static final long ORIGIN = 24;

    private static final long TEXT = 48;
    private static final long REFERENCE = 4;

    /** A list, or an array within an object. */
    private static final long LIST = 40;

    /** An entry of an immutable map from numbers to numbers. */
    private static final long MAP_ENTRY = 40;

    /** Properties that were met: expressions share the object of a variable's property. */
    private final Set<Expression> properties = Collections.newSetFromMap(new IdentityHashMap<>());

    private PlanWeight() {}

    /** The bytes of a compiled source. */
    public static long of(CompiledSource source) {
        return new PlanWeight().source(source);
    }

    private long source(CompiledSource source) {
        long bytes = 2 * LIST + OBJECT;
        for (CompiledSource.SettingChange setting : source.settings()) {
            bytes += OBJECT + text(setting.name()) + value(setting.value());
        }
        for (var warning : source.warnings()) {
            bytes += OBJECT + text(warning.message()) + text(warning.hint());
        }
        return bytes
                + switch (source.request()) {
                    case Request.Query query -> plan(query.plan());
                    case Request.Explain explain -> plan(explain.plan());
                    case Request.BranchList ignored -> 0;
                    case Request.BranchShow show -> text(show.branch());
                    case Request.BranchCreate create -> text(create.branch()) + text(create.from());
                    case Request.BranchDelete delete -> text(delete.branch());
                    case Request.BranchMerge merge -> text(merge.source()) + text(merge.target());
                    case Request.Undo undo -> text(undo.ref()) + text(undo.branch());
                    case Request.ShowSettings show -> text(show.name());
                };
    }

    /** The bytes of a text; Java stores most of them with one byte for each character, some with two. */
    static long text(@Nullable String text) {
        return text == null ? 0 : TEXT + text.length();
    }

    private long plan(Plan plan) {
        long bytes = 2 * OBJECT + 2 * LIST + text(plan.name());
        for (Parameter parameter : plan.parameters()) {
            bytes += OBJECT + text(parameter.name()) + value(parameter.defaultValue());
            for (Parameter field : parameter.fields()) {
                bytes += OBJECT + LIST + text(field.name());
            }
        }
        for (var annotation : plan.annotations()) {
            bytes += OBJECT + text(annotation.name()) + text(annotation.argument());
            for (var named : annotation.named().entrySet()) {
                bytes += MAP_ENTRY + text(named.getKey()) + text(named.getValue());
            }
        }
        return bytes
                + switch (plan) {
                    case Plan.Read read -> read(read);
                    case Plan.Mutation mutation -> mutation(mutation);
                };
    }

    private long read(Plan.Read read) {
        long bytes = LIST;
        for (var variable : read.variables()) {
            bytes += OBJECT + text(variable.name()) + numbers(variable.types()) + type(variable.value());
        }
        for (Plan.Stage stage : read.allStages()) {
            bytes += stage(stage);
        }
        for (Plan.Embedding embedding : read.embeddings()) {
            bytes += OBJECT + ORIGIN + expression(embedding.text()) + text(embedding.model());
        }
        if (read.union() != null) {
            bytes += OBJECT
                    + LIST * read.union().parts().size()
                    + numbers(read.union().slots());
        }
        return bytes;
    }

    private long stage(Plan.Stage stage) {
        long bytes = 3 * OBJECT + 3 * LIST + pattern(stage.match());
        for (Plan.Output output : stage.result().outputs()) {
            bytes += OBJECT + text(output.column()) + expression(output.expression());
        }
        for (Plan.SortKey key : stage.order()) {
            bytes += OBJECT + expression(key.expression());
        }
        for (Plan.Fusion fusion : stage.fusions()) {
            bytes += OBJECT + ORIGIN + expression(fusion.k());
            for (Expression ranking : fusion.rankings()) {
                bytes += expression(ranking);
            }
        }
        Plan.Window window = stage.window();
        return bytes
                + expressions(stage.where())
                + expression(window.skip())
                + expression(window.limit())
                + expressions(window.per());
    }

    private long pattern(Pattern pattern) {
        long bytes = OBJECT + 2 * LIST + numbers(pattern.bound()) + expressions(pattern.filters());
        for (Pattern.Traversal traversal : pattern.traversals()) {
            bytes += OBJECT + numbers(traversal.edgeTypes());
            Walk.Rule rule = traversal.walk() == null ? null : traversal.walk().rule();
            if (rule != null) {
                bytes += OBJECT + pattern(rule.where()) + expression(rule.by());
            }
        }
        for (Pattern.Block block : pattern.blocks()) {
            bytes += OBJECT + pattern(block.pattern()) + expression(block.over());
        }
        return bytes;
    }

    private long mutation(Plan.Mutation mutation) {
        long bytes = 2 * LIST;
        for (var variable : mutation.variables()) {
            bytes += OBJECT + text(variable.name()) + numbers(variable.types());
        }
        if (mutation.rows() != null) {
            bytes += OBJECT + text(mutation.rows().name()) + read(mutation.rows());
        }
        if (mutation.answer() != null) {
            bytes += OBJECT + text(mutation.answer().name()) + read(mutation.answer());
        }
        return bytes + statements(mutation.statements());
    }

    private long statements(List<Plan.Statement> statements) {
        long bytes = LIST;
        for (Plan.Statement statement : statements) {
            bytes += OBJECT
                    + switch (statement) {
                        case Plan.Statement.InsertNode insert -> assignments(insert.assignments());
                        case Plan.Statement.InsertEdge insert ->
                            expression(insert.from()) + expression(insert.to()) + assignments(insert.assignments());
                        case Plan.Statement.Update update ->
                            assignments(update.assignments()) + expression(update.predicate());
                        case Plan.Statement.Delete delete -> expression(delete.predicate());
                        case Plan.Statement.UpdateBound update -> {
                            long sum = ORIGIN;
                            for (List<Plan.Assignment> assignments :
                                    update.assignments().values()) {
                                sum += MAP_ENTRY + assignments(assignments);
                            }
                            yield sum;
                        }
                        case Plan.Statement.DeleteBound ignored -> LIST;
                        case Plan.Statement.ForEach each ->
                            LIST + expression(each.list()) + statements(each.statements());
                    };
        }
        return bytes;
    }

    private long assignments(List<Plan.Assignment> assignments) {
        long bytes = LIST;
        for (Plan.Assignment assignment : assignments) {
            bytes += OBJECT + text(assignment.name()) + expression(assignment.value());
        }
        return bytes;
    }

    private long expressions(List<Expression> expressions) {
        long bytes = LIST;
        for (Expression expression : expressions) {
            bytes += expression(expression);
        }
        return bytes;
    }

    private long expression(@Nullable Expression expression) {
        if (expression == null) {
            return 0;
        }
        if (expression instanceof Expression.PropertyOf && !properties.add(expression)) {
            return REFERENCE;
        }
        long bytes = OBJECT / 2 + REFERENCE;
        for (Expression operand : expression.operands()) {
            bytes += expression(operand);
        }
        return bytes
                + switch (expression) {
                    case Expression.Literal literal -> value(literal.value());
                    case Expression.Argument argument -> text(argument.name());
                    case Expression.PropertyOf property ->
                        LIST
                                + text(property.name())
                                + MAP_ENTRY * property.identityByType().size();
                    case Expression.And ignored -> LIST;
                    case Expression.Or ignored -> LIST;
                    case Expression.ListOf ignored -> LIST;
                    case Expression.Arithmetic arithmetic -> ORIGIN;
                    case Expression.Negate negate -> ORIGIN;
                    case Expression.Call call -> LIST + ORIGIN;
                    case Expression.Search search ->
                        LIST + ORIGIN + MAP_ENTRY * search.by().collection().size();
                    case Expression.Aggregate aggregate -> ORIGIN;
                    case Expression.Case ignored -> 2 * LIST;
                    case Expression.RecordOf of -> LIST + type(of.type());
                    case Expression.FieldOf of -> text(of.name());
                    case Expression.PropertyOfValue property ->
                        LIST
                                + text(property.name())
                                + MAP_ENTRY * property.identityByType().size();
                    case Expression.Loop ignored -> OBJECT;
                    default -> 0;
                };
    }

    private static long type(@Nullable ValueType type) {
        return switch (type) {
            case ValueType.Struct record -> {
                long bytes = OBJECT + LIST;
                for (ValueType.Field field : record.fields()) {
                    bytes += OBJECT / 2 + text(field.name()) + type(field.type());
                }
                yield bytes;
            }
            case ValueType.ListOf list -> OBJECT / 2 + type(list.item());
            case ValueType.Entity entity -> numbers(entity.types());
            case null, default -> 0;
        };
    }

    private static long numbers(List<Integer> numbers) {
        return LIST + numbers.size() * (OBJECT / 2);
    }

    private static long value(@Nullable Value value) {
        return switch (value) {
            case null -> 0;
            case Value.Text text -> OBJECT / 2 + text(text.value());
            case Value.ListOf list -> {
                long bytes = LIST;
                for (Value item : list.items()) {
                    bytes += REFERENCE + value(item);
                }
                yield bytes;
            }
            case Value.Vector vector -> LIST + Float.BYTES * (long) vector.items().length;
            case Value.ExternalBlob blob -> OBJECT / 2 + text(blob.uri());
            case Value.ManagedBlob ignored -> 2 * OBJECT;
            default -> OBJECT / 2;
        };
    }
}
