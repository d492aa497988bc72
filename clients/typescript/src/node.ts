/** What only Node has: a place in a file. */
import { open, readFile, rename } from "node:fs/promises";
import { type Cursor, type Place, placeOf } from "./cursors.js";

/** A place in a file, which is replaced whole: a program that is killed goes on at the old place or the new one. */
export class FileCursor implements Cursor {
  constructor(private readonly path: string) {}

  async load(): Promise<Place> {
    try {
      return placeOf(await readFile(this.path, "utf8"));
    } catch (missing) {
      if ((missing as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw missing;
    }
  }

  async save(place: Place): Promise<void> {
    const written = this.path + ".new";
    const file = await open(written, "w");
    try {
      await file.writeFile(JSON.stringify(place));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, this.path);
  }
}
