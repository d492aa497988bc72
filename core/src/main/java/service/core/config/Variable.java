package service.core.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.StartRefusedException;

/** An environment variable: one row of the tables in {@code docs/limits.md}. Immutable. */
public sealed interface Variable {
    String name();

    /** What a user reads as the value of an unset variable. */
    String defaultText();

    /** The values it may have, in words. */
    String allowed();

    /** What it sets, in one phrase. */
    String meaning();

    /** The code that a server refuses to start with when the value is not allowed. */
    String code();

    /** Says that this value is not allowed. */
    default StartRefusedException refusal(String given) {
        return new StartRefusedException(
                code(),
                "%s is `%s`; set it to %s, or unset it for %s".formatted(name(), given, allowed(), defaultText()));
    }

    /**
     * A whole number.
     *
     * @param unit of the value, such as {@code bytes}
     */
    record WholeNumber(
            String name, String unit, long defaultValue, String defaultText, long min, long max, String meaning)
            implements Variable {
        public WholeNumber(String name, String unit, long defaultValue, long min, long max, String meaning) {
            this(name, unit, defaultValue, Long.toString(defaultValue), min, max, meaning);
        }

        @Override
        public String allowed() {
            return "a whole number from " + min + " to " + max;
        }

        @Override
        public String code() {
            return "limit_invalid";
        }

        public boolean allows(long value) {
            return value >= min && value <= max;
        }

        /**
         * The value that the environment gives, or the default.
         *
         * @throws StartRefusedException {@code limit_invalid}
         */
        public long read(Map<String, String> environment) {
            String given = environment.get(name);
            if (given == null) {
                return defaultValue;
            }
            if (!given.matches("[0-9]{1,18}") || !allows(Long.parseLong(given))) {
                throw refusal(given);
            }
            return Long.parseLong(given);
        }
    }

    /** One of some words, in capitals or not. */
    record Word(String name, List<String> words, String defaultText, String meaning) implements Variable {
        public Word {
            words = List.copyOf(words);
        }

        @Override
        public String allowed() {
            return String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
        }

        @Override
        public String code() {
            return "config_invalid";
        }

        /**
         * The value that the environment gives, or the default.
         *
         * @throws StartRefusedException {@code config_invalid}
         */
        public String read(Map<String, String> environment) {
            String given = environment.getOrDefault(name, defaultText);
            String word = given.toLowerCase(Locale.ROOT);
            if (!words.contains(word)) {
                throw refusal(given);
            }
            return word;
        }
    }

    /** Yes or no: {@code true} and {@code 1}, or {@code false} and {@code 0}, in capitals or not. No is the default. */
    record Flag(String name, String meaning) implements Variable {
        @Override
        public String defaultText() {
            return "0";
        }

        @Override
        public String allowed() {
            return "1, 0, true or false";
        }

        @Override
        public String code() {
            return "config_invalid";
        }

        /**
         * The value that the environment gives, or false.
         *
         * @throws StartRefusedException {@code config_invalid}
         */
        public boolean read(Map<String, String> environment) {
            String given = environment.getOrDefault(name, defaultText());
            return switch (given.toLowerCase(Locale.ROOT)) {
                case "1", "true" -> true;
                case "0", "false" -> false;
                default -> throw refusal(given);
            };
        }
    }

    /**
     * A text that its reader checks.
     *
     * @param defaultText {@code none} where there is no default
     */
    record Text(String name, String defaultText, String allowed, String meaning) implements Variable {
        @Override
        public String code() {
            return "config_invalid";
        }

        public @Nullable String read(Map<String, String> environment) {
            return environment.get(name);
        }
    }
}
