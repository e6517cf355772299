// Labels of charts: long ones are wrapped, and where there is no room, shortened so that they stay different.

const LETTER = 6.8; // pixels of a letter, about

// The lines of a text that is wrapped at spaces to a width in pixels; a longer word is broken.
export function wrapped(text, width) {
  const most = Math.max(6, Math.floor(width / LETTER)), lines = [""];
  for (const word of text.split(" ").flatMap((w) => w.match(new RegExp(`.{1,${most}}`, "gu")) ?? [])) {
    const last = lines.at(-1);
    if (!last || last.length + 1 + word.length <= most) lines[lines.length - 1] = last ? `${last} ${word}` : word;
    else lines.push(word);
  }
  return lines;
}

// The width that labels need, up to a limit; beyond it they are wrapped.
export const labelWidth = (names, limit) => Math.min(limit, Math.max(40, ...names.map((name) => name.length * LETTER)));

const middle = (text, most, tail) => `${text.slice(0, most - 1 - tail).trimEnd()}…${text.slice(-tail).trimStart()}`;

// Name → a form of at most so many letters. Different names have different forms: the middle is left out, or a number is added.
export function shortForms(names, most) {
  const all = [...new Set(names)];
  for (const share of [0.35, 0.5, 0.75]) {
    const made = all.map((name) => (name.length > most ? middle(name, most, Math.floor(share * most)) : name));
    if (new Set(made).size === all.length) return new Map(all.map((name, i) => [name, made[i]]));
  }
  return new Map(all.map((name, i) => [name, name.length > most ? `${middle(name, most - 5, 3)} (${i + 1})` : name]));
}
