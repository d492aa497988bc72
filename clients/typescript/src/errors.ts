import type { AnyError, Diagnostic, ErrorCode } from "./models.js";

/**
 * A refusal of the server. `status` is that of HTTP, `code` the word of the error, `reason` its cause where a code has
 * several, `requestId` the id in the server's log, `body` the whole answer.
 */
export class ServiceError extends Error {
  readonly status: number;
  /** `unknown` where a proxy answered, which has no code. */
  readonly code: ErrorCode | "unknown";
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
  readonly body: Partial<AnyError> & { [member: string]: unknown };
  /** Seconds after which the server may be asked again; absent where a repeat is of no use. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: { [member: string]: unknown }, retryAfter?: number) {
    super(textOf(status, body));
    this.name = "ServiceError";
    this.status = status;
    this.body = body;
    this.code = (body["code"] as ErrorCode | undefined) ?? "unknown";
    this.reason = body["reason"] as string | undefined;
    this.requestId = body["request_id"] as string | undefined;
    this.retryAfter = retryAfter;
  }

  /** The findings in a query. */
  get diagnostics(): Diagnostic[] {
    return (this.body["diagnostics"] as Diagnostic[] | undefined) ?? [];
  }
}

/** The server could not be reached, or an answer was lost, until the time for repeats was over. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";
}

/** A stream ended before its end; what it brought is not the whole. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}

function textOf(status: number, body: { [member: string]: unknown }): string {
  const lines: string[] = [];
  for (const finding of (body["diagnostics"] as Diagnostic[] | undefined) ?? []) {
    lines.push(`${finding.code} at ${finding.line}:${finding.column}: ${finding.message}`);
    if (finding.excerpt) lines.push(finding.excerpt);
    if (finding.hint) lines.push(`hint: ${finding.hint}`);
  }
  if (lines.length === 0) lines.push(String(body["error"] ?? `HTTP status ${status}`));
  lines.push(`(${status} ${body["code"] ?? "unknown"}, request ${body["request_id"] ?? "without an id"})`);
  return lines.join("\n");
}
