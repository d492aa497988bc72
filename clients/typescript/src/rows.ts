import type { QueryResult } from "./models.js";

/** A row: its values by the names of the columns. An I64 or U64 is a string of digits: `BigInt(row.n)`. */
export type Row = { [column: string]: any };

/** The rows of a read, and the commit whose state they show. */
export class Rows<R = Row> implements Iterable<R> {
  readonly rows: R[];
  readonly columns: string[];
  /** The commit whose state the rows show. */
  readonly commitId: string;

  constructor(readonly result: QueryResult) {
    this.rows = result.rows as R[];
    this.columns = result.columns;
    this.commitId = result.graph_commit_id;
  }

  get length(): number {
    return this.rows.length;
  }

  [Symbol.iterator](): Iterator<R> {
    return this.rows[Symbol.iterator]();
  }
}
