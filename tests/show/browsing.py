"""What the tests of pages ask a browser."""

# The least contrast of any text with what is behind it, by the formula of WCAG 2.
CONTRAST = """() => {
  const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 :
    ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e)
    .backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  const covers = (r, x, y) => r.left <= x && x <= r.right && r.top <= y && y <= r.bottom;
  let least = [99, ''];
  for (const e of document.body.querySelectorAll('*')) {
    const own = [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim());
    if (!own || e.tagName == 'title') continue;
    const style = getComputedStyle(e); let front, back;
    if (e.ownerSVGElement) {
      front = parse(style.fill).slice(0, 3);
      const box = e.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
      const under = [...e.ownerSVGElement.querySelectorAll('rect')].filter(r =>
        e.compareDocumentPosition(r) & 2 && covers(r.getBoundingClientRect(), x, y)).pop();
      back = parse(getComputedStyle(under).fill).slice(0, 3);
    } else { front = parse(style.color).slice(0, 3); back = behind(e); }
    const [a, b] = [light(front), light(back)].sort((p, q) => q - p);
    const ratio = (a + .05) / (b + .05);
    if (ratio < least[0]) least = [ratio, e.textContent];
  }
  return least;
}"""
