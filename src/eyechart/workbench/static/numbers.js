// Numbers as the page of an examination writes them.

export const percent = (v, digits = 1) => (v === null || v === undefined ? "–" : `${(100 * v).toFixed(digits)}%`);
export const points = (v) => (v === null || v === undefined ? "–" : `${v > 0 ? "+" : v < 0 ? "−" : ""}${Math.abs(100 * v).toFixed(1)} points`);
export const interval = (f) => (f.low === null || f.low === undefined ? "" : `${(100 * f.low).toFixed(1)} to ${percent(f.high)}`);
export const signedInterval = (f) => (f.low === null || f.low === undefined ? ""
  : `${(100 * f.low).toFixed(1).replace("-", "−")} to ${(100 * f.high).toFixed(1).replace("-", "−")}`);
export const count = (n) => n.toLocaleString("en-US");
export const pictures = (n) => `${count(n)} picture${n === 1 ? "" : "s"}`;
// A change is good or bad only where its interval excludes 0.
export function verdict(f, higherIsBetter) {
  if (!f || f.low === null || f.low === undefined) return "";
  if (f.low > 0) return higherIsBetter ? "good" : "bad";
  if (f.high < 0) return higherIsBetter ? "bad" : "good";
  return "open";
}
