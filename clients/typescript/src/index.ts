export { Branch, Client, Graph } from "./client.js";
export type { Values, WriteOptions, UndoOptions } from "./client.js";
export { type Cursor, MemoryCursor, type Place, StorageCursor } from "./cursors.js";
export { ConnectionFailed, ServiceError, StreamBroken } from "./errors.js";
export { type Row, Rows } from "./rows.js";
export type { ClientOptions } from "./transport.js";
export type * as models from "./models.js";
