/** Which fix is chosen, and which values stand in its holes. */
export function makeChoices(fixes) {
  const values = fixes.map(fix => fix.holes.map(hole => hole.value));
  const find = (index, wanted) =>
    fixes[index].variants.find(variant => variant.values.every((value, i) => value === wanted[i])) ?? null;
  let chosen = 0;

  return {
    get index() {
      return chosen;
    },
    get fix() {
      return fixes[chosen];
    },
    get values() {
      return values[chosen];
    },
    /** The chosen fix with its values; null while they are not worked out. */
    get variant() {
      return find(chosen, values[chosen]);
    },
    /** The place of the first hole without a value; -1 where there is none. */
    get unfilled() {
      return values[chosen].findIndex(value => !value);
    },
    /** What to show of a fix, also while its values are not worked out. */
    shown: index => find(index, values[index]) ?? fixes[index].variants[0],
    knows: (index, wanted) => wanted.some(value => !value) || find(index, wanted) !== null,
    choose(index) {
      chosen = index;
    },
    set(index, wanted) {
      values[index] = wanted;
    },
    add(index, variant) {
      fixes[index].variants.push(variant);
    }
  };
}
