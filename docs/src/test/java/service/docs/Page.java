package service.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of the documentation, taken apart into its fenced blocks. An HTML comment on the line before a block says how
 * to run it.
 */
final class Page {
    private final Path file;
    private final List<String> lines;
    private final List<Block> blocks = new ArrayList<>();

    /**
     * A fenced block.
     *
     * @param language the word after the fence
     * @param first number of its first line within the page, from 0
     * @param note the HTML comment before it, or an empty text
     */
    record Block(String language, int first, List<String> lines, String note) {
        String text() {
            return String.join("\n", lines);
        }
    }

    private Page(Path file, List<String> lines) {
        this.file = file;
        this.lines = new ArrayList<>(lines);
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at);
            if (line.startsWith("```") && line.length() > 3) {
                int end = at + 1;
                while (!lines.get(end).equals("```")) {
                    end++;
                }
                String before = at == 0 ? "" : lines.get(at - 1);
                blocks.add(new Block(
                        line.substring(3),
                        at + 1,
                        lines.subList(at + 1, end),
                        before.startsWith("<!--") ? before : ""));
                at = end;
            }
            at++;
        }
    }

    /** A page by its name below {@code docs/}. */
    static Page read(String name) {
        Path file = Path.of(System.getProperty("service.root"), "docs", name);
        try {
            return new Page(file, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Block> blocks() {
        return List.copyOf(blocks);
    }

    /** Writes the page with other contents in its blocks; as many as there are, in order. */
    void rewrite(List<String> contents) {
        for (int i = blocks.size() - 1; i >= 0; i--) {
            Block block = blocks.get(i);
            List<String> place =
                    lines.subList(block.first(), block.first() + block.lines().size());
            place.clear();
            place.addAll(contents.get(i).lines().toList());
        }
        try {
            Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
