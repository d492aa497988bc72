/** Where a poll goes on: the parameters `cursor` or `page_token`; empty at the beginning. */
export type Place = { [parameter: string]: string };

/** The place of a consumer of changes. */
export interface Cursor {
  load(): Place | Promise<Place>;
  save(place: Place): void | Promise<void>;
}

/** A place that ends with the program; begins at a cursor, or where `start` says. */
export class MemoryCursor implements Cursor {
  private place: Place;

  constructor(cursor?: string) {
    this.place = cursor === undefined ? {} : { cursor };
  }

  load(): Place {
    return this.place;
  }

  save(place: Place): void {
    this.place = place;
  }
}

/** A place in the `localStorage` of a browser, or in anything with its methods. */
export class StorageCursor implements Cursor {
  constructor(
    private readonly storage: Pick<Storage, "getItem" | "setItem">,
    private readonly name: string,
  ) {}

  load(): Place {
    return placeOf(this.storage.getItem(this.name));
  }

  save(place: Place): void {
    this.storage.setItem(this.name, JSON.stringify(place));
  }
}

export function placeOf(text: string | null): Place {
  return text === null ? {} : (JSON.parse(text) as Place);
}
