package service.mcp.transport;

import com.fasterxml.jackson.databind.util.RawValue;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import service.core.error.ServiceException;
import service.http.error.ErrorBody;
import service.mcp.tool.ResultSize;

/**
 * Makes results of tools. Any thread.
 *
 * @param bytesMax the largest result, in bytes, which counts its JSON and its text
 */
record ToolResults(QuietMapper mapper, long bytesMax) {
    /** Throws when a content is too large for a result before it is made. */
    void requireSmall(byte[] content) {
        if (content.length > bytesMax / 2) {
            throw ResultSize.tooLarge(bytesMax);
        }
    }

    /**
     * The content as JSON and as text.
     *
     * @param content a JSON object in UTF-8
     * @throws ServiceException RESOURCE_LIMIT when the whole result is too large
     */
    CallToolResult of(byte[] content) {
        requireSmall(content);
        String text = new String(content, StandardCharsets.UTF_8);
        CallToolResult result = CallToolResult.builder()
                .addTextContent(text)
                .structuredContent(new RawValue(text))
                .isError(false)
                .build();
        try {
            if (mapper.writeValueAsBytes(result).length > bytesMax) {
                throw ResultSize.tooLarge(bytesMax);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return result;
    }

    /** A tool error, whose text is an error body of {@code docs/http.md}. */
    static CallToolResult error(ServiceException refusal) {
        return error(new String(ErrorBody.render(refusal, null), StandardCharsets.UTF_8));
    }

    /** A tool error with this error body. */
    static CallToolResult error(String body) {
        return CallToolResult.builder().addTextContent(body).isError(true).build();
    }
}
