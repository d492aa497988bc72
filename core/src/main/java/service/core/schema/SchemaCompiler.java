package service.core.schema;

import java.nio.charset.StandardCharsets;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.schema.syntax.SchemaParser;
import service.core.schema.syntax.SyntaxTree;
import service.core.text.Findings;
import service.core.value.Sha256;

/** Compiles schema text to a {@link Catalog}. Any thread. */
public final class SchemaCompiler {
    /** Maximum length of a schema in bytes of UTF-8. */
    public static final int SOURCE_BYTES_MAX = 1 << 20;

    private SchemaCompiler() {}

    /**
     * Compiles a schema whose types are all new. Identities are minted in source order.
     *
     * @throws ServiceException BAD_REQUEST with every finding as {@link ErrorDetail.Diagnostics}
     */
    public static Catalog compile(String source) {
        return compile(source, Identities.fresh());
    }

    /**
     * Compiles a schema that takes the place of another one.
     *
     * @throws ServiceException as {@link #compile(String)}
     */
    public static Catalog compile(String source, CarriedIdentities carried) {
        return compile(source, Identities.carried(carried));
    }

    /**
     * A schema laid out: the same tokens and comments, with the spaces and indentation that this project uses.
     *
     * @throws ServiceException BAD_REQUEST for a source that is not in the language
     */
    public static String format(String source) {
        Findings findings = new Findings(SchemaParser.FINDINGS_MAX);
        SchemaParser.parse(source, findings);
        if (!findings.isEmpty()) {
            SourceText text = new SourceText(source);
            throw text.refusal(findings.diagnostics(text));
        }
        return SchemaParser.format(source);
    }

    static Catalog compile(String source, Identities identities) {
        byte[] utf8 = source.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > SOURCE_BYTES_MAX) {
            throw ServiceException.badRequest(
                    "the schema has " + utf8.length + " bytes; at most " + SOURCE_BYTES_MAX + " are allowed");
        }
        Findings findings = new Findings(SchemaParser.FINDINGS_MAX);
        SyntaxTree tree = SchemaParser.parse(source, findings);
        Catalog catalog = new CatalogBuilder(tree, findings, identities).build(source, digest(utf8));
        if (!findings.isEmpty()) {
            SourceText text = new SourceText(source);
            throw text.refusal(findings.diagnostics(text));
        }
        return catalog;
    }

    static String digest(byte[] utf8) {
        return "sha256:" + Sha256.hex(utf8);
    }
}
