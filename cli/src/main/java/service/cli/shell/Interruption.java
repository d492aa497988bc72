package service.cli.shell;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** Stops the running request and its output on Ctrl-C. Does nothing between inputs. Any thread may ask. */
final class Interruption {
    private boolean running;
    private boolean asked;
    private @Nullable GraphClient client;

    synchronized void begin() {
        running = true;
        asked = false;
    }

    synchronized void end() {
        running = false;
        client = null;
    }

    synchronized void ask() {
        if (running) {
            asked = true;
            if (client != null) {
                client.cancel();
            }
        }
    }

    synchronized boolean isAsked() {
        return asked;
    }

    /** Sets the client of the running input. */
    private synchronized GraphClient over(GraphClient opened) {
        client = opened;
        if (running && asked) {
            opened.cancel();
        }
        return opened;
    }

    /** The same graph, through clients that can be interrupted. */
    Graphs over(Graphs graphs) {
        return new Graphs() {
            @Override
            public GraphClient reader() {
                return over(graphs.reader());
            }

            @Override
            public GraphClient writer() {
                return over(graphs.writer());
            }

            @Override
            public String name() {
                return graphs.name();
            }
        };
    }

    /** A writer that refuses once it was asked to stop. */
    PrintWriter over(PrintWriter out) {
        return new PrintWriter(new Stoppable(out));
    }

    /** Passes everything on until the input is interrupted. */
    private final class Stoppable extends FilterWriter {
        Stoppable(Writer below) {
            super(below);
        }

        @Override
        public void write(int character) throws IOException {
            check();
            out.write(character);
        }

        @Override
        public void write(char[] text, int from, int count) throws IOException {
            check();
            out.write(text, from, count);
        }

        @Override
        public void write(String text, int from, int count) throws IOException {
            check();
            out.write(text, from, count);
        }

        private void check() {
            if (isAsked()) {
                throw CommandFailure.cancelled();
            }
        }
    }
}
