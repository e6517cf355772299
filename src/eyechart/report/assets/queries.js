// Queries of retrieval that are missed: captions without their picture, or pictures without their caption, among the first results. They are
// filtered and shown as predictions are.
"use strict";
(() => {
  const { eyechart } = window;
  const COLUMNS = ["id", "caption", "rank", "first", "firstPicture", "attributes", "picture"];

  eyechart.Queries = class {
    constructor(about, chunks) {
      this.about = about;
      this.count = about.kept;
      this.classes = [];
      this.numberOf = new Map();
      for (const name of COLUMNS) this[name] = [].concat(...chunks.map((chunk) => chunk[name]));
      // A picture has several captions, so an address needs the number too.
      const seen = new Map();
      this.name = this.id;
      this.id = this.name.map((id) => {
        const number = (seen.get(id) ?? 0) + 1;
        seen.set(id, number);
        return number > 1 ? `${id}#${number}` : id;
      });
      this.attributeNumber = new Map(about.attributes.map((name, number) => [name, number]));
      this._lower = this.name.map((id, row) => `${id} ${this.caption[row]} ${this.first[row] ?? ""}`.toLowerCase());
    }

    isWrong() { return true; }

    source(row) { return this.picture[row] ? `pictures/${this.picture[row]}.jpg` : null; }

    rowOf(id) {
      this._rowOf ??= new Map(this.id.map((name, row) => [name, row]));
      return this._rowOf.get(id);
    }

    attributeNames(row) { return this.attributes[row].map((number) => this.about.attributes[number]); }

    // Rows with all attributes, without a correct result among the first k, whose id or captions have the words.
    select({ where = [], show = "all", text = "" } = {}) {
      const wanted = where.map((name) => this.attributeNumber.get(name) ?? -1);
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const k = show.startsWith("below-") ? Number(show.slice("below-".length)) : 1;
      const rows = [];
      for (let row = 0; row < this.count; row++) {
        if (this.rank[row] > k && wanted.every((number) => this.attributes[row].includes(number))
          && words.every((word) => this._lower[row].includes(word))) rows.push(row);
      }
      return rows;
    }

    // What stands below a small copy.
    lines(row) { return this.about.trials ? [this.caption[row], `→ ${this.first[row]}`] : [this.caption[row], `rank ${this.rank[row].toLocaleString("en")}`]; }

    label(row) {
      if (this.about.trials) return `${this.caption[row]}; preferred: ${this.first[row]}`;
      const found = this.first[row] ? `; ranked first: ${this.first[row]}` : "";
      return `${this.caption[row]}: rank ${this.rank[row]} of the correct ${this.about.queries === "caption" ? "picture" : "caption"}${found}`;
    }

    // What stands beside the large picture.
    facts(row) {
      const { element, text } = eyechart;
      const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
      if (this.about.trials) {
        return [element("dl", { class: "facts" }, ...fact("true caption", text(this.caption[row])), ...fact("false caption that is preferred", text(this.first[row])))];
      }
      const ofCaption = this.about.queries === "caption";
      const made = [element("dl", { class: "facts" },
        ...fact(ofCaption ? "caption" : "a caption of this picture", text(this.caption[row])),
        ...fact(`rank of the correct ${ofCaption ? "picture" : "caption"}`, this.rank[row].toLocaleString("en")),
        ...(this.first[row] ? fact(`${ofCaption ? "picture" : "caption"} that ranks first`, text(this.first[row])) : []))];
      if (this.firstPicture[row]) {
        made.push(element("img", { class: "found", src: `pictures/${this.firstPicture[row]}.jpg`, alt: `Picture that ranks first: ${this.first[row]}`, width: "200" }));
      }
      return made;
    }
  };
})();
