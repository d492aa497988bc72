package service.projection.search;

import java.util.logging.Level;
import java.util.logging.Logger;

/** What has to be set before the first use of Lucene's indexes or vectors. */
public final class LuceneSetup {
    /**
     * Lucene logs through java.util.logging, which this program does not configure: by default it would write to stderr
     * whether the vector instructions are on. Its failures are exceptions. A logger is forgotten, with its level, when
     * nothing refers to it.
     */
    private static final Logger LOGGER = Logger.getLogger("org.apache.lucene");

    static {
        LOGGER.setLevel(Level.SEVERE);
        // With assertions on it takes a sum that is not finite for a fault. Here it is the answer that there is none.
        LuceneSetup.class.getClassLoader().setClassAssertionStatus("org.apache.lucene.util.VectorUtil", false);
    }

    private LuceneSetup() {}

    /** Call it in an initializer of the class that uses Lucene. */
    public static void apply() {
        // The initializer has done it.
    }
}
