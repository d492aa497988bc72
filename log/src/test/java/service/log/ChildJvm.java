package service.log;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A second process with the JVM flags of production, whose output is read line by line. Killed when closed. */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + Path.of(System.getProperty("service.root"), "bin", "jvm-options"));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ChildJvm(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** The rest of the next line that begins with the word. */
    public String await(String word) throws IOException {
        StringBuilder skipped = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(word)) {
                return line.substring(word.length()).strip();
            }
            skipped.append(line).append('\n');
        }
        throw new AssertionError("the process ended without '" + word + "':\n" + skipped);
    }

    public long pid() {
        return process.pid();
    }

    /** Kills the process as {@code kill -9} does, and waits for its end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + process.pid() + " does not die");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
