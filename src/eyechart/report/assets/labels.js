// Short forms of long labels that stay different from each other. A chart cuts a label at its end, which makes names with a common start
// identical; here the middle is left out, and where that is not enough, what labels have in common.
"use strict";
(() => {
  const middle = (text, most, tail) => `${text.slice(0, most - 1 - tail).trimEnd()}…${text.slice(-tail).trimStart()}`;

  const distinct = (texts) => new Set(texts).size === texts.length;

  window.eyechart.shortLabels = (labels, most) => {
    const long = [...new Set(labels)].filter((label) => label.length > most);
    const short = [...new Set(labels)].filter((label) => label.length <= most);
    if (!long.length) return {};
    for (const share of [0.35, 0.5, 0.75]) {
      const made = long.map((label) => middle(label, most, Math.max(2, Math.floor(share * most))));
      if (distinct([...made, ...short])) return Object.fromEntries(long.map((label, i) => [label, made[i]]));
    }
    // A number always tells them apart.
    return Object.fromEntries(long.map((label, i) => [label, `${middle(label, most - 4, 3)} (${i + 1})`]));
  };

  // Two lines, broken at the last space, hyphen or underscore that fits, else within a word; one line where the text fits into it.
  const twoLines = (text, most) => {
    if (text.length <= most) return text;
    const ends = [...text.slice(0, most + 1).matchAll(/ |[-_](?=.)/g)].map(({ 0: sign, index }) => (sign === " " ? index : index + 1));
    const end = ends.findLast((place) => place <= most) ?? 0, at = text.length - end <= most + 1 && end > 0 ? end : most;
    return [text.slice(0, at).trimEnd(), text.slice(at).trimStart()];
  };

  // Labels of rows: two lines each, and shortened only where these are not enough.
  window.eyechart.wrappedLabels = (labels, most) => {
    const short = window.eyechart.shortLabels(labels, 2 * most);
    return Object.fromEntries([...new Set(labels)].filter((label) => label.length > most).map((label) => [label, twoLines(short[label] ?? label, most)]));
  };
})();
