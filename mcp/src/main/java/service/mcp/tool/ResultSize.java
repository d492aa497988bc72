package service.mcp.tool;

import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/** The refusal of a result that is larger than {@link ToolCall#resultBytesMax}. */
public final class ResultSize {
    private ResultSize() {}

    /** The refusal, which names the limit. */
    public static ServiceException tooLarge(long bytesMax) {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT,
                "the result is larger than the limit of " + bytesMax
                        + " bytes, which counts its JSON and its text: narrow it with the parameters",
                new ErrorDetail.ResourceLimit("mcp_result_bytes", bytesMax, null));
    }
}
