/**
 * The schema of Jenkins' xUnit plugin (junit-10.xsd) as data, with what its readers accept beyond it: elements, their attributes,
 * and where they may stand. Reads the XML itself, so that it does not trust the writer's idea of markup.
 */

type Element = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
};
type Rule = {
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  /** Beyond the schema, with the reader that takes it. */
  readonly extensions?: Readonly<Record<string, string>>;
  readonly children?: readonly string[];
  readonly childExtensions?: Readonly<Record<string, string>>;
  readonly text?: boolean;
};

const outcome: Rule = { optional: ['type', 'message'], text: true };
const rules: Readonly<Record<string, Rule>> = {
  testsuites: { optional: ['name', 'time', 'tests', 'failures', 'errors'], children: ['testsuite'] },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url'],
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    extensions: {
      file: 'GitLab: link to the file; GitHub: annotation',
      line: 'GitHub: annotation',
      assertions: 'JUnit 5 and PHPUnit',
    },
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    childExtensions: { properties: 'Jenkins: keepProperties' },
  },
  properties: { children: ['property'] },
  property: { required: ['name', 'value'] },
  failure: outcome,
  error: outcome,
  skipped: outcome,
  'system-out': { text: true },
  'system-err': { text: true },
};

/** The pattern of durations in that schema. */
const surefireTime = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;
const integerAttributes = ['tests', 'failures', 'errors', 'skipped', 'line', 'assertions'];

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&([^;]*);/g, (_, name: string) => {
    const character = entities[name];
    if (character === undefined) throw new Error(`unknown entity &${name};`);
    return character;
  });
}

/** A strict parser of the XML that has elements, attributes and text only. Throws for anything else. */
export function parseXml(xml: string): Element {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  if (!xml.startsWith(declaration)) throw new Error('no XML declaration');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let position = declaration.length;
  const tag = /<(\/?)([\w-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  while (position < xml.length) {
    tag.lastIndex = position;
    const match = tag.exec(xml);
    const current = open.at(-1);
    if (!match || !current) throw new Error(`not XML at ${position}: ${xml.slice(position, position + 40)}`);
    const [all, closing, name = '', attributeText = '', selfClosing, text] = match;
    position += all.length;
    if (text !== undefined) current.text += decodeEntities(text);
    else if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> at ${position} closes nothing`);
    } else {
      const pairs = [...attributeText.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key,
        decodeEntities(value),
      ]);
      if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error(`an attribute twice in <${name}>`);
      const element: Element = { name, attributes: Object.fromEntries(pairs), children: [], text: '' };
      current.children.push(element);
      if (!selfClosing) open.push(element);
    }
  }
  const [document] = root.children;
  if (open.length !== 1 || !document || root.children.length !== 1) throw new Error('not exactly one root element');
  return document;
}

/** What is not valid, each with the path of its element; empty for a valid document. */
export function findSchemaProblems(element: Element, path = `/${element.name}`): string[] {
  const rule = rules[element.name];
  if (!rule) return [`${path}: unknown element`];
  const names = Object.keys(element.attributes);
  const known = [...(rule.required ?? []), ...(rule.optional ?? []), ...Object.keys(rule.extensions ?? {})];
  const children = [...(rule.children ?? []), ...Object.keys(rule.childExtensions ?? {})];
  return [
    ...(rule.required ?? []).filter((name) => !names.includes(name)).map((name) => `${path}: no ${name}`),
    ...names.filter((name) => !known.includes(name)).map((name) => `${path}: unknown attribute ${name}`),
    ...names
      .filter((name) => integerAttributes.includes(name) && !/^\d+$/.test(element.attributes[name] ?? ''))
      .map((name) => `${path}: ${name} is not a whole number`),
    ...(surefireTime.test(element.attributes.time ?? '') ? [] : [`${path}: time is ${element.attributes.time}`]),
    ...(rule.text || element.text.trim() === '' ? [] : [`${path}: text outside of elements`]),
    ...element.children.filter(({ name }) => !children.includes(name)).map(({ name }) => `${path}: <${name}> inside`),
    ...element.children.flatMap((child, index) => findSchemaProblems(child, `${path}/${child.name}[${index}]`)),
    ...findCountProblems(element, path),
  ];
}

/** The counts of a suite are those of its cases. */
function findCountProblems(element: Element, path: string): string[] {
  if (element.name !== 'testsuite') return [];
  const cases = element.children.filter(({ name }) => name === 'testcase');
  const count = (name: string) => cases.filter(({ children }) => children.some((child) => child.name === name)).length;
  const expected = {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  };
  return Object.entries(expected)
    .filter(([name, value]) => element.attributes[name] !== String(value))
    .map(([name, value]) => `${path}: ${name} is ${element.attributes[name]}, there are ${value}`);
}

/** The case with that name. */
export function findCase(document: Element, name: string): Element {
  const match = document.children
    .flatMap(({ children }) => children)
    .find(({ attributes }) => attributes.name === name);
  if (!match) throw new Error(`no case ${name}`);
  return match;
}
