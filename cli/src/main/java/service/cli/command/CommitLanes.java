package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Draws how commits follow each other, newest first: a lane for each line of commits whose next one is still to come.
 * Each commit has one line with its place, and one for each lane that it opens or joins: {@code ├─╮} under a merge,
 * {@code ├─╯} under the first commit of a branch.
 */
final class CommitLanes {
    private static final char FREE = ' ';
    private static final char LINE = '│';

    private final boolean mergedToo;

    /** The id that each lane waits for; null for a free lane. */
    private final List<@Nullable String> lanes = new ArrayList<>();

    private final List<String> joints = new ArrayList<>();

    /** @param mergedToo whether merged parents are among the commits */
    CommitLanes(boolean mergedToo) {
        this.mergedToo = mergedToo;
    }

    /** The line of the next commit. */
    String commit(JsonNode commit) {
        String id = commit.path("graph_commit_id").asText();
        joints.clear();
        int at = lanes.indexOf(id);
        if (at < 0) {
            at = free();
            lanes.set(at, id);
        }
        StringBuilder line = drawn();
        line.setCharAt(2 * at, '*');
        String parent = commit.path("parent_commit_id").textValue();
        int waiting = parent == null ? -1 : lanes.indexOf(parent);
        lanes.set(at, parent);
        String merged = mergedToo ? commit.path("merged_parent_commit_id").textValue() : null;
        if (merged != null) {
            merge(at, merged);
        }
        if (waiting >= 0 && waiting != at) {
            joints.add(joint(at, waiting, waiting < at ? '╯' : '╰', waiting < at ? '├' : '┤'));
            lanes.set(at, null);
        }
        return line.toString();
    }

    /** The lines between the last commit and the next one. */
    List<String> joints() {
        return List.copyOf(joints);
    }

    private void merge(int at, String merged) {
        int to = lanes.indexOf(merged);
        if (to < 0) {
            to = free();
            joints.add(joint(to, at, to > at ? '╮' : '╭', to > at ? '├' : '┤'));
            lanes.set(to, merged);
        } else if (to != at) {
            joints.add(joint(to, at, to > at ? '┤' : '├', to > at ? '├' : '┤'));
        }
    }

    private int free() {
        int free = lanes.indexOf(null);
        if (free < 0) {
            lanes.add(null);
            free = lanes.size() - 1;
        }
        return free;
    }

    /** All lanes, with a line between two of them that ends in these characters. */
    private String joint(int one, int other, char atOne, char atOther) {
        StringBuilder line = drawn();
        for (int i = 2 * Math.min(one, other) + 1; i < 2 * Math.max(one, other); i++) {
            line.setCharAt(i, line.charAt(i) == LINE ? '┼' : '─');
        }
        line.setCharAt(2 * one, atOne);
        line.setCharAt(2 * other, atOther);
        return line.toString();
    }

    private StringBuilder drawn() {
        StringBuilder line = new StringBuilder();
        for (String waits : lanes) {
            line.append(waits == null ? FREE : LINE).append(FREE);
        }
        return line;
    }
}
