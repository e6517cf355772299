// The predictions of one model on one dataset: columns, loaded in chunks, filtered and sorted. Nothing here draws, so that any page
// that has the same columns can use it.
"use strict";
(() => {
  const { eyechart } = window;
  const COLUMNS = ["id", "true", "predicted", "rank", "confidence", "margin", "ood", "top", "shares", "attributes", "picture"];
  const opened = new Map(); // key of a gallery -> promise of its Pictures

  class Pictures {
    constructor(about, chunks) {
      this.about = about;
      this.count = about.kept;
      for (const name of COLUMNS) this[name] = [].concat(...chunks.map((chunk) => chunk[name]));
      // Compared for every row at every key, so they are numbers side by side.
      for (const name of ["true", "predicted"]) this[name] = Int32Array.from(this[name]);
      this.classes = about.classes;
      this.numberOf = new Map(about.classes.map((name, number) => [name, number]));
      this.attributeNumber = new Map(about.attributes.map((name, number) => [name, number]));
      this._lower = this.id.map((id) => id.toLowerCase());
      this._rowOf = null;
    }

    className(number) { return number < 0 ? "no label" : this.classes[number]; }

    // Whether the true class of any picture is known.
    get labelled() {
      this.anyLabel ??= this.true.some((place) => place >= 0);
      return this.anyLabel;
    }

    isWrong(row) { return this.true[row] >= 0 && this.true[row] !== this.predicted[row]; }

    source(row) { return this.picture[row] ? `pictures/${this.picture[row]}.jpg` : null; }

    rowOf(id) {
      if (!this._rowOf) this._rowOf = new Map(this.id.map((name, row) => [name, row]));
      return this._rowOf.get(id);
    }

    attributeNames(row) { return this.attributes[row].map((number) => this.about.attributes[number]); }

    // Rows that match: of a true and a predicted class (numbers; null for any), with all attributes ("name=value"), all, wrong,
    // right or with a true class that is not among the best five, whose id or class has the words.
    select({ ofTrue = null, ofPredicted = null, where = [], show = "all", text = "", sort = "first" } = {}) {
      const wanted = where.map((name) => this.attributeNumber.get(name) ?? -1); // no picture has an attribute that is not listed
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      // A word that a class has in its name is looked up once per class, not once per picture.
      const inClass = words.map((word) => this.classes.map((name) => name.toLowerCase().includes(word)));
      const rows = [];
      const { true: truth, predicted, rank, _lower: ids, count } = this;
      for (let row = 0; row < count; row++) {
        const t = truth[row];
        const p = predicted[row];
        if (ofTrue !== null && t !== ofTrue) continue;
        if (ofPredicted !== null && p !== ofPredicted) continue;
        if (show === "wrong" && !(t >= 0 && t !== p)) continue;
        if (show === "right" && t !== p) continue;
        if (show === "below-5" && !(rank[row] > 5)) continue;
        if (wanted.length && !wanted.every((number) => this.attributes[row].includes(number))) continue;
        let found = true;
        for (let w = 0; w < words.length && found; w++) {
          found = (t >= 0 && inClass[w][t]) || inClass[w][p] || ids[row].includes(words[w]);
        }
        if (found) rows.push(row);
      }
      const keys = {
        confidence: (row) => -(this.confidence[row] ?? -1),
        margin: (row) => this.margin[row] ?? 2000,
        rank: (row) => -(this.rank[row] ?? 0),
        ood: (row) => this.ood[row] ?? Infinity,
      };
      const key = keys[sort];
      if (key) {
        const values = Float64Array.from(rows, key);
        const order = Uint32Array.from(rows.keys()).sort((a, b) => values[a] - values[b] || a - b);
        return Array.from(order, (place) => rows[place]);
      }
      return rows;
    }
  }

  eyechart.openPictures = (key) => {
    if (!opened.has(key)) {
      opened.set(key, (async () => {
        const about = await eyechart.load(key);
        const names = Array.from({ length: about.chunks }, (_, chunk) => `${key}-${chunk}`);
        const chunks = await Promise.all(names.map(eyechart.load));
        return about.queries ? new eyechart.Queries(about, chunks) : new Pictures(about, chunks);
      })());
    }
    return opened.get(key);
  };
  eyechart.Pictures = Pictures;
})();
