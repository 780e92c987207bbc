"""Rules of accessibility, computed from the page as the browser draws it.

`violations(browser)` checks the names, roles, relations, contrast, and width of the visible page. `unreachable(browser)` moves
through the page with the tabulator key. Both return descriptions of what is wrong, so an accessible page has none.

The limits are those of WCAG 2.2, level AA: https://www.w3.org/TR/WCAG22/
"""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

TEXT_CONTRAST = 4.5
LARGE_TEXT_CONTRAST = 3
CONTROL_CONTRAST = 3

# The roles that need a name.
NAMED_ROLES = {
    "button", "checkbox", "combobox", "DisclosureTriangle", "link", "listbox", "meter", "progressbar", "radio", "searchbox",
    "slider", "spinbutton", "switch", "tab", "tablist", "tabpanel", "textbox", "tree", "treeitem", "img", "image", "region",
}

# The common functions of the rules.
TOOLS = """
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const known = new Map();
// Returns red, green, blue, and alpha from 0 to 1. The browser converts all notations.
const parse = (color) => {
  if (!known.has(color)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    known.set(color, [...canvas.getImageData(0, 0, 1, 1).data].map((one) => one / 255));
  }
  return known.get(color);
};
const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
const luminance = (color) => {
  const [r, g, b] = color.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const page = () => parse(matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18, 18, 18)' : 'white');
const background = (element) => {
  const layers = [];
  for (let one = element; one; one = one.parentElement) layers.push(parse(getComputedStyle(one).backgroundColor));
  return layers.reduceRight((below, layer) => over(layer, below), page());
};
const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  !element.closest('[inert]') && element.getClientRects().length > 0;
const isDisabled = (element) => Boolean(element.closest(':disabled, [aria-disabled=true]'));
const name = (element) => {
  const id = element.id ? `#${element.id}` : '';
  const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
  return `<${element.localName}${id}${element.classList.length ? '.' + [...element.classList].join('.') : ''}> '${text}'`;
};
const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
const found = [];
"""

STRUCTURE = TOOLS + """
const ids = new Map();
for (const element of document.querySelectorAll('[id]')) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
for (const [id, count] of ids) if (count > 1) found.push(`${count} elements have the ID '${id}'`);
if (!document.documentElement.lang) found.push('the page has no language');
if (!document.title.trim()) found.push('the page has no title');
if (all('h1').length !== 1) found.push(`the page has ${all('h1').length} headings of level 1`);
if (all('main').length !== 1) found.push(`the page has ${all('main').length} main parts`);
for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'aria-owns', 'aria-activedescendant', 'for', 'list']) {
  for (const element of all(`[${attribute}]`)) {
    for (const id of element.getAttribute(attribute).split(/\\s+/)) {
      if (id && !document.getElementById(id)) found.push(`${name(element)}: ${attribute} names '${id}', which doesn't exist`);
    }
  }
}
for (const image of all('img')) if (!image.hasAttribute('alt')) found.push(`${name(image)} has no alternative text`);
for (const field of all('input:not([type=hidden]), select, textarea')) {
  const isLabelled = [...(field.labels ?? [])].some((label) => label.textContent.trim()) ||
    ['aria-label', 'aria-labelledby', 'title'].some((attribute) => field.getAttribute(attribute)?.trim());
  if (!isLabelled) found.push(`${name(field)} has no label`);
}
for (const list of all('[role=tablist]')) {
  const tabs = [...list.querySelectorAll('[role=tab]')];
  if (tabs.filter((tab) => tab.ariaSelected === 'true').length !== 1) found.push(`${name(list)} has not one selected tab`);
  if (tabs.filter((tab) => tab.tabIndex === 0).length !== 1) found.push(`${name(list)} has not one tab stop`);
}
for (const tab of all('[role=tab]')) {
  if (!tab.closest('[role=tablist]')) found.push(`${name(tab)} is outside of a tablist`);
  const panel = document.getElementById(tab.getAttribute('aria-controls'));
  if (panel?.getAttribute('role') !== 'tabpanel') found.push(`${name(tab)} controls no tabpanel`);
  else if (isShown(panel) !== (tab.ariaSelected === 'true')) found.push(`${name(tab)}: the panel isn't shown exactly if the tab is selected`);
}
for (const tree of all('[role=tree]')) {
  const items = [...tree.querySelectorAll('[role=treeitem]')];
  if (items.filter((item) => item.tabIndex === 0).length !== 1) found.push(`${name(tree)} has not one tab stop`);
}
for (const item of all('[role=treeitem]')) {
  const parent = item.parentElement.closest('[role=treeitem], [role=tree]');
  const level = parent?.getAttribute('role') === 'tree' ? 1 : Number(parent?.ariaLevel) + 1;
  if (Number(item.ariaLevel) !== level) found.push(`${name(item)} has the level ${item.ariaLevel} and not ${level}`);
  if (!['tree', 'group'].includes(item.parentElement.getAttribute('role'))) found.push(`${name(item)} is in no tree or group`);
  if (item.querySelector(':scope > [role=group]') && item.ariaExpanded !== 'true') found.push(`${name(item)} has children and isn't expanded`);
  if (item.querySelector('a[href], button, input, select')) found.push(`${name(item)} contains a control`);
}
for (const row of all('tr')) {
  if (row.closest('[role=presentation]')) continue;
  const table = row.closest('table');
  if (table.rows[0] === row && !table.querySelector('th')) found.push(`${name(table)} has no header cells`);
}
return found;
"""

CONTRAST = TOOLS + """
const [textLimit, largeLimit, controlLimit, faint] = arguments;
const report = (ratio, limit, element, what) => {
  if (ratio < limit - 0.005) found.push(`${name(element)}: ${what} has the contrast ${ratio.toFixed(2)}, less than ${limit}`);
};
const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set();
while (words.nextNode()) {
  const element = words.currentNode.parentElement;
  if (!words.currentNode.data.trim() || seen.has(element) || ['SCRIPT', 'STYLE', 'OPTION', 'title'].includes(element.nodeName)) continue;
  seen.add(element);
  if (!isShown(element) || isDisabled(element)) continue;
  const style = getComputedStyle(element);
  const below = background(element);
  const text = over(parse(element instanceof SVGElement ? style.fill : style.color), below);
  const size = Number.parseFloat(style.fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  report(contrast(text, below), isLarge ? largeLimit : textLimit, element, 'the text');
}
for (const control of all('input:not([type=hidden]), select, textarea, button')) {
  if (isDisabled(control)) continue;
  const style = getComputedStyle(control);
  if (['checkbox', 'radio', 'range', 'file', 'color'].includes(control.type)) continue;
  const outside = background(control.parentElement);
  const sides = ['Top', 'Right', 'Bottom', 'Left'].filter((side) => Number.parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] !== 'none');
  const edges = sides.map((side) => contrast(over(parse(style[`border${side}Color`]), outside), outside));
  const fill = contrast(background(control), outside);
  // The text of a button without an edge identifies the button.
  if (control.localName === 'button' && fill < 1.05 && !edges.some((edge) => edge > 1.05)) continue;
  report(Math.max(fill, ...edges), controlLimit, control, 'the control');
  const hint = control.placeholder && !control.value ? over(parse(getComputedStyle(control, '::placeholder').color), background(control)) : null;
  if (hint) report(contrast(hint, background(control)), textLimit, control, 'the placeholder');
}
// A line or an area of a drawing.
for (const shape of all('svg path, svg line, svg rect, svg circle, svg polyline')) {
  if (shape.closest(`defs, [aria-hidden=true], ${faint}`) || shape.getBoundingClientRect().width < 1) continue;
  const style = getComputedStyle(shape);
  const below = background(shape);
  const paints = [style.stroke, style.fill].filter((paint) => paint !== 'none' && !paint.startsWith('url'));
  if (paints.length) report(Math.max(...paints.map((paint) => contrast(over(parse(paint), below), below))), controlLimit, shape, 'the shape');
}
return found;
"""

WIDTH = TOOLS + """
const width = document.documentElement.clientWidth;
// Whether the element is shown only to screen readers.
const isOnlyRead = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const style = getComputedStyle(one);
    if (style.position === 'absolute' && style.clipPath !== 'none') return true;
  }
  return false;
};
if (document.documentElement.scrollWidth > width) found.push(`the page is ${document.documentElement.scrollWidth - width} pixels too wide`);
for (const element of all('body *')) {
  if (element instanceof SVGElement && element.localName !== 'svg') continue;
  const style = getComputedStyle(element);
  if (isOnlyRead(element)) continue;
  const box = element.getBoundingClientRect();
  // A drawing may be larger than the window, if the keyboard can scroll it.
  const drawing = element.closest('[role=region][tabindex="0"]');
  if (box.right > width + 1 && box.left >= 0 && !drawing) found.push(`${name(element)} is cut: it ends ${Math.round(box.right - width)} pixels beyond the window`);
  const isClipped = ['hidden', 'clip'].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
  if (isClipped && element.textContent.trim() && element.clientWidth > 1 && !element.title) found.push(`${name(element)} is cut: its text needs ${element.scrollWidth - element.clientWidth} more pixels`);
}
return found;
"""

# Notes each element that receives the focus, and the elements whose focus isn't visible.
WATCH = """
window.focusVisits = new Set();
window.focusFaults = [];
window.focusWatch?.abort();
window.focusWatch = new AbortController();
document.addEventListener('focusin', ({ target }) => {
  if (window.focusVisits.has(target)) return;
  window.focusVisits.add(target);
  const isMarked = [target, ...target.children].some((one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  });
  if (!isMarked) window.focusFaults.push(target);
}, { signal: window.focusWatch.signal });
document.activeElement?.blur();
"""

VISITS = TOOLS + """
window.focusWatch.abort();
for (const element of window.focusFaults) found.push(`${name(element)} doesn't show that it has the focus`);
const composites = '[role=tablist], [role=tree], [role=listbox], [role=grid], [role=menu], [role=radiogroup]';
for (const element of all('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')) {
  if (isDisabled(element) || window.focusVisits.has(element)) continue;
  const composite = element.closest(composites);
  if (composite && [...window.focusVisits].some((one) => composite.contains(one))) continue;
  if (element.type === 'radio' && [...window.focusVisits].some((one) => one.name === element.name)) continue;
  if (element.tabIndex < 0 && !element.matches('a[href], button, input, select, textarea, summary')) continue;
  if (element.tabIndex < 0 && element.getAttribute('aria-hidden') === 'true') continue;
  found.push(`${name(element)} can't be reached by the keyboard`);
}
return found;
"""


def _nameless(browser):
    """Returns the elements for which the browser computes no name."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in NAMED_ROLES or node.get("name", {}).get("value", "").strip():
            continue
        described = browser.driver.execute_cdp_cmd("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"]
        found.append(f"<{described['localName']} {' '.join(described.get('attributes', []))}> with the role '{role}' has no name")
    return found


def violations(browser, faint=".grid"):
    """Returns what is wrong with the visible page.

    The lines of a grid repeat an axis, so the parts of drawings with the selector `faint` need no contrast.
    """
    return [
        *browser.script(STRUCTURE),
        *_nameless(browser),
        *browser.script(CONTRAST, TEXT_CONTRAST, LARGE_TEXT_CONTRAST, CONTROL_CONTRAST, faint),
        *browser.script(WIDTH),
    ]


def unreachable(browser, presses=120):
    """Returns the controls that the tabulator key doesn't reach, and the focused elements that don't show their focus."""
    browser.script(WATCH)
    body = ActionChains(browser.driver)
    for _ in range(presses):
        body.send_keys(Keys.TAB)
    body.perform()
    return browser.script(VISITS)
