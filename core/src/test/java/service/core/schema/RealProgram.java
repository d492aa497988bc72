package service.core.schema;

import com.google.re2j.Pattern;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;

/** The program that RE2/J makes of an expression, read by reflection: its size, and how deep the matcher recurses. */
final class RealProgram {
    private static final int ALT = 1;
    private static final int ALT_MATCH = 2;
    private static final int CAPTURE = 3;
    private static final int EMPTY_WIDTH = 4;
    private static final int NOP = 7;

    private final int size;
    private final int[] ops;
    private final int[] outs;
    private final int[] args;
    private final int start;

    RealProgram(Pattern pattern) {
        try {
            Object re2 = call(pattern, "re2");
            Object prog = field(re2, "prog");
            size = pattern.programSize();
            start = (int) field(prog, "start");
            ops = new int[size];
            outs = new int[size];
            args = new int[size];
            Object[] instructions = (Object[]) field(prog, "inst");
            for (int i = 0; i < size; i++) {
                ops[i] = (int) field(instructions[i], "op");
                outs[i] = (int) field(instructions[i], "out");
                args[i] = (int) field(instructions[i], "arg");
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private static Object call(Object on, String name) throws ReflectiveOperationException {
        Method method = on.getClass().getDeclaredMethod(name);
        method.setAccessible(true);
        return method.invoke(on);
    }

    int size() {
        return size;
    }

    /** The deepest recursion of {@code Machine.add} from the start, or after any instruction that reads. */
    int deepest() {
        int deepest = depth(start);
        for (int i = 0; i < size; i++) {
            boolean reads = ops[i] >= 8;
            deepest = reads ? Math.max(deepest, depth(outs[i])) : deepest;
        }
        return deepest;
    }

    /** Follows the instructions as {@code Machine.add} does when all assertions hold, and visits none twice. */
    private int depth(int from) {
        boolean[] seen = new boolean[size];
        Deque<int[]> stack = new ArrayDeque<>();
        int deepest = 0;
        stack.push(new int[] {from, 1});
        while (!stack.isEmpty()) {
            int[] next = stack.pop();
            int pc = next[0];
            deepest = Math.max(deepest, next[1]);
            if (pc == 0 || seen[pc]) {
                continue;
            }
            seen[pc] = true;
            switch (ops[pc]) {
                case ALT, ALT_MATCH -> {
                    stack.push(new int[] {args[pc], next[1] + 1});
                    stack.push(new int[] {outs[pc], next[1] + 1});
                }
                case CAPTURE, EMPTY_WIDTH, NOP -> stack.push(new int[] {outs[pc], next[1] + 1});
                default -> {}
            }
        }
        return deepest;
    }
}
