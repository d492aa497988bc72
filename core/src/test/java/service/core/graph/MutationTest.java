package service.core.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static service.core.graph.TestGraph.AGE;
import static service.core.graph.TestGraph.CODE;
import static service.core.graph.TestGraph.EMAIL;
import static service.core.graph.TestGraph.KNOWS;
import static service.core.graph.TestGraph.LEVEL;
import static service.core.graph.TestGraph.NAME;
import static service.core.graph.TestGraph.NOTE;
import static service.core.graph.TestGraph.PERSON;
import static service.core.graph.TestGraph.TEXT;
import static service.core.graph.TestGraph.WROTE;
import static service.core.graph.TestGraph.equal;
import static service.core.graph.TestGraph.idIs;
import static service.core.graph.TestGraph.literal;
import static service.core.graph.TestGraph.set;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.budget.TestBudgets;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Plan.Statement.Delete;
import service.core.gq.plan.Plan.Statement.InsertEdge;
import service.core.gq.plan.Plan.Statement.InsertNode;
import service.core.gq.plan.Plan.Statement.Update;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Page;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.WriteOptions;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.wire.QueryResponse;

class MutationTest {
    private static final PropertyType I32 = new PropertyType.Scalar(ScalarType.I32);

    private final TestGraph test = new TestGraph();

    @AfterEach
    void close() {
        test.close();
    }

    private static Plan.Statement person(String name, Plan.Assignment... more) {
        List<Plan.Assignment> all = new java.util.ArrayList<>(List.of(more));
        all.add(set(NAME, name));
        return new InsertNode(PERSON, all);
    }

    private static Plan.Statement knows(String from, String to) {
        return new InsertEdge(KNOWS, literal(from), literal(to), List.of());
    }

    private static Expression older(int by) {
        return new Expression.Arithmetic(
                Expression.ArithmeticOperator.ADD,
                TestGraph.of(PERSON, AGE, I32),
                literal(by),
                PropertyType.I64,
                new Expression.Origin(new SourceText("age"), 0, 3));
    }

    private MutationResult run(Plan.Statement... statements) {
        return test.mutate(null, statements);
    }

    private ServiceException refused(Plan.Statement... statements) {
        int events = test.storage.eventCount();
        ServiceException refusal = catchThrowableOfType(ServiceException.class, () -> run(statements));
        assertThat(refusal).isNotNull();
        assertThat(test.storage.eventCount()).isEqualTo(events);
        return refusal;
    }

    @Test
    void insertsUpsertByKeyAndSeeWhatCameBefore() {
        MutationResult first = run(person("ada", set(AGE, 36)), person("bob"), knows("ada", "bob"));
        assertThat(first.affectedNodes()).isEqualTo(2);
        assertThat(first.affectedEdges()).isEqualTo(1);
        assertThat(first.commit().logOffset()).isEqualTo(1);
        MutationResult second = run(person("ada", set(EMAIL, "a@x")), person("ada", set(LEVEL, 2)));
        assertThat(second.affectedNodes()).isEqualTo(1);
        assertThat(test.export()).contains("\"name\":\"ada\",\"age\":36,\"email\":\"a@x\",\"level\":2");
        assertThat(run(person("ada", set(AGE, 36))).commit()).isNull();
    }

    @Test
    void anEdgeNeedsItsNodesBeforeIt() {
        assertThat(refused(person("ada"), knows("ada", "bob"), person("bob"))).hasMessageContaining("Person `bob`");
    }

    @Test
    void updatesComputeFromTheOldValuesAndSeeEarlierStatements() {
        run(person("ada", set(AGE, 36)), person("bob", set(AGE, 40)), person("eve"));
        MutationResult result = run(
                new Update(PERSON, List.of(set(AGE, older(4))), idIs("ada")),
                new Update(PERSON, List.of(set(AGE, older(1))), equal(TestGraph.of(PERSON, AGE, I32), 40)));
        assertThat(result.affectedNodes()).isEqualTo(2);
        assertThat(test.export()).contains("\"ada\",\"age\":41").contains("\"bob\",\"age\":41");
        assertThat(run(new Update(PERSON, List.of(set(AGE, older(1))), idIs("eve")))
                        .commit())
                .isNull();
        run(new Update(PERSON, List.of(set(AGE, Value.NULL)), idIs("ada")));
        assertThat(test.export()).contains("\"name\":\"ada\",\"level\"");
    }

    @Test
    void changesThatCancelOutAreNotCounted() {
        run(person("ada", set(AGE, 36)));
        MutationResult result = run(
                new Update(PERSON, List.of(set(AGE, 37)), idIs("ada")),
                new Update(PERSON, List.of(set(AGE, 36)), idIs("ada")));
        assertThat(result.affectedNodes()).isZero();
        assertThat(result.commit()).isNull();
        assertThat(test.storage.eventCount()).isEqualTo(2);
    }

    @Test
    void deletingANodeTakesItsEdges() {
        run(person("ada"), person("bob"), person("eve"), knows("ada", "bob"), knows("bob", "ada"), knows("ada", "ada"));
        run(knows("bob", "eve"));
        MutationResult result = run(new Delete(PERSON, idIs("ada")));
        assertThat(result.affectedNodes()).isEqualTo(1);
        assertThat(result.affectedEdges()).isEqualTo(3);
        assertThat(test.storage.head("main").get(KNOWS)).hasSize(1);
    }

    @Test
    void valuesAreCheckedAtRunTime() {
        run(person("ada", set(AGE, 100)));
        assertThat(refused(person("x", set(AGE, 151))).detail())
                .isEqualTo(new ErrorDetail.ConstraintViolation("value_constraint_violation", "node", "Person", "x"));
        assertThat(refused(person("x", set(AGE, literal(new Value.Int(1L << 31))))))
                .hasMessageContaining("does not fit I32");
        assertThat(refused(new Update(PERSON, List.of(set(LEVEL, Value.NULL)), idIs("ada"))))
                .hasMessageContaining("required property `level`");
        assertThat(refused(new InsertNode(NOTE, List.of(set(TEXT, "t"), set(CODE, "ABCD")))))
                .hasMessageContaining("@check(code");
        assertThat(refused(new InsertNode(PERSON, List.of(set(NAME, ""))))).hasMessageContaining("is empty");
    }

    @Test
    void uniqueAndCardinalityAreConflicts() {
        run(person("ada", set(EMAIL, "e")), new InsertNode(NOTE, List.of(set(TEXT, "1"))));
        ServiceException twice = refused(person("bob", set(EMAIL, "e")));
        assertThat(twice.code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(twice).hasMessageContaining("same email as `ada`");
        run(person("bob"), person("eve"));
        String note = test.storage.head("main").get(NOTE).firstKey();
        Plan.Statement wrote = new InsertEdge(WROTE, literal("ada"), literal(note), List.of());
        ServiceException many = refused(wrote, wrote, wrote);
        assertThat(many.detail())
                .isEqualTo(new ErrorDetail.ConstraintViolation("cardinality_violation", "edge", "Wrote", "ada"));
        run(wrote, wrote);
        assertThat(refused(wrote).code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(refused(new Delete(WROTE, equal(literal(1), 1)))).hasMessageContaining("@card allows 1..2");
        // A source that is deleted too is exempt.
        assertThat(run(new Delete(PERSON, idIs("ada"))).affectedEdges()).isEqualTo(2);
    }

    @Test
    void aConditionMustNameTheHead() {
        MutationResult first = run(person("ada"));
        String head = first.commit().id().toString();
        MutationResult second = test.mutate(head, person("bob"));
        ServiceException stale = catchThrowableOfType(ServiceException.class, () -> test.mutate(head, person("eve")));
        assertThat(stale.code()).isEqualTo(ErrorCode.PRECONDITION_FAILED);
        assertThat(stale.detail())
                .isEqualTo(new ErrorDetail.PreconditionFailure(
                        head, second.commit().id().toString()));
        assertThatThrownBy(() -> test.mutate("*", person("eve"))).hasMessageContaining("one commit id");
    }

    @Test
    void aMutationIsRefusedAsARead() {
        test.plan = new Plan.Mutation("m", List.of(), List.of(), List.of());
        assertThatThrownBy(() -> test.graph.query(
                        ReadTarget.MAIN,
                        "s",
                        null,
                        null,
                        Settings.DEFAULTS,
                        TestBudgets.ample(),
                        new QueryResponse(true)))
                .hasMessageContaining("/mutate");
    }

    @Test
    void branchesAndHistory() {
        run(person("ada"));
        test.graph.createBranch("review/a", "main", null).join();
        assertThatThrownBy(() -> test.graph.branch("reveiw/a")).hasMessageContaining("did you mean `review/a`");
        assertThatThrownBy(() -> TestGraph.unwrap(
                        () -> test.graph.createBranch("review/a", "main", null).join()))
                .hasMessageContaining("exists already");
        for (String name : List.of("merge", "a//b", "../x", "__x", "a b", "x".repeat(256), "", "a/__b")) {
            assertThatThrownBy(() -> test.graph.createBranch(name, "main", null))
                    .as(name)
                    .isInstanceOf(ServiceException.class);
        }
        assertThatThrownBy(() -> TestGraph.unwrap(
                        () -> test.graph.deleteBranch("main", null).join()))
                .hasMessageContaining("`main` cannot be deleted");
        run(person("bob"));
        Page all = test.graph.commits("main", 2, null);
        assertThat(all.commits()).extracting(CommitRecord::logOffset).containsExactly(3L, 1L);
        Page rest = test.graph.commits("main", 2, all.nextBefore());
        assertThat(rest.commits()).extracting(CommitRecord::logOffset).containsExactly(0L);
        assertThat(rest.nextBefore()).isNull();
        assertThatThrownBy(() -> test.graph.commits(
                        "review/a", 5, all.commits().getFirst().id().toString()))
                .hasMessageContaining("not in the history");
        assertThatThrownBy(() -> test.graph.commits("main", 1001, null)).hasMessageContaining("1 to 1000");
        SnapshotRecord past = test.graph.snapshot(
                new ReadTarget.AtSnapshot(all.commits().get(1).id().toString()));
        assertThat(past.branch()).isEqualTo("main");
        assertThat(past.types().get(1).entityCount()).isEqualTo(1);
        assertThatThrownBy(() -> test.graph.commit("nonsense")).hasMessageContaining("does not exist");
        assertThat(test.graph.deleteBranch("review/a", null).join().forkCommit())
                .isEqualTo(all.commits().get(1).id());
    }

    @Test
    void argumentsAreNamedWhenTheyDoNotFit() {
        test.plan = new Plan.Mutation(
                "m",
                List.of(new service.core.gq.plan.Parameter("name", PropertyType.STRING, false, null)),
                List.of(),
                List.of());
        for (var wrong : Map.of(
                        "{}",
                        "`name` is missing",
                        "{\"name\":1}",
                        "must be a string",
                        "{\"name\":\"x\",\"nam\":1}",
                        "did you mean `name`")
                .entrySet()) {
            assertThatThrownBy(() -> test.graph.mutate(
                            WriteOptions.NONE,
                            new MutationCall(
                                    "main",
                                    "s",
                                    null,
                                    service.core.json.Json.readObject(
                                            wrong.getKey().getBytes(java.nio.charset.StandardCharsets.UTF_8), "p")),
                            Settings.DEFAULTS,
                            TestBudgets.ample()))
                    .hasMessageContaining(wrong.getValue());
        }
    }
}
