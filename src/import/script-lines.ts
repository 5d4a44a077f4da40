/**
 * What scripts of Postman and Bruno say with their usual phrases: captures and expectations. Any other code is reported.
 * Length: one short function for each family of phrases.
 */
import { type AssertionSubject, type AssertionTest, translateAssertion } from './assertion.ts';
import type { ImportedCapture, ReportUntranslated } from './imported.ts';
import { toFieldPath } from './json-path.ts';
import { toPlaceholderName } from './placeholder-names.ts';

export type ScriptResult = { readonly checks: readonly string[]; readonly captures: readonly ImportedCapture[] };

/** Expressions that are the body of the response. */
const bodyCall = String.raw`(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\)|res\.getBody\(\)|res\.body)`;
const setter =
  /(?:(?:pm\.(?:environment|globals|collectionVariables|variables)|bru)\.set(?:Var|EnvVar)?|postman\.set(?:Environment|Global)Variable)\(\s*['"]([^'"]+)['"]\s*,\s*(.+?)\s*\)\s*;?\s*$/;
const literalForm = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d+(?:\.\d+)?|true|false|null))$/;
/** Lines that only hold others together. */
const silent =
  /^(?:\/\/.*|\/\*.*|\*.*|[{}()[\];,\s]*|(?:pm\.)?test\(.*(?:function\s*\(\)|=>)\s*\{?|(?:const|let|var)\s+\w+\s*=\s*.*;?|console\..*|['"]use strict['"];?)$/;

/** `source` names the request. */
export function readScript(script: string, source: string, report: ReportUntranslated): ScriptResult {
  const aliases = new Map<string, string>();
  const checks: string[] = [];
  const captures: ImportedCapture[] = [];
  const statements = script
    .replaceAll(/\r/g, '')
    .replaceAll(/\n\s*\./g, '.')
    .split('\n')
    .flatMap(splitStatements);
  for (const statement of statements) {
    readAlias(statement, aliases);
    const capture = readCapture(statement, aliases);
    const expectation = capture ? undefined : readExpectation(statement, aliases);
    if (capture) captures.push(capture);
    else if (expectation === undefined) {
      if (!silent.test(statement)) report(source, statement.slice(0, 100), 'the script is not translated');
    } else {
      const translated = translateAssertion(expectation.subject, expectation.test);
      if ('check' in translated) checks.push(translated.check);
      else report(source, statement.slice(0, 100), translated.reason);
    }
  }
  return { checks: [...new Set(checks)], captures };
}

/** `test("x", () => { a; b; });` on one line holds several. */
function splitStatements(line: string): readonly string[] {
  const inner =
    /^\s*(?:pm\.)?test\((?:'[^']*'|"[^"]*"|`[^`]*`)\s*,\s*(?:function\s*\(\)|\(\)\s*=>)\s*\{(.+)\}\s*\)\s*;?\s*$/.exec(
      line,
    )?.[1];
  if (inner !== undefined)
    return inner
      .split(';')
      .map((each) => each.trim())
      .filter(Boolean);
  return [line.trim()];
}

function readAlias(statement: string, aliases: Map<string, string>): void {
  const [, name = '', value = ''] = /^(?:const|let|var)\s+(\w+)\s*=\s*(.+?);?$/.exec(statement) ?? [];
  const path = name === '' ? undefined : readBodyPath(value, aliases);
  if (path !== undefined) aliases.set(name, path);
}

/** The path below the body that an expression reads, such as `.data[0].id`; empty for the body itself. */
function readBodyPath(expression: string, aliases: ReadonlyMap<string, string>): string | undefined {
  const text = expression.trim().replaceAll('?.', '.');
  const direct = new RegExp(`^${bodyCall}((?:\\.\\w+|\\[\\d+\\]|\\[['"][^'"]+['"]\\])*)$`).exec(text)?.[1];
  if (direct !== undefined) return direct;
  const [, name = '', rest = ''] = /^(\w+)((?:\.\w+|\[\d+\]|\[['"][^'"]+['"]\])*)$/.exec(text) ?? [];
  const alias = aliases.get(name);
  return alias === undefined ? undefined : alias + rest;
}

function readCapture(statement: string, aliases: ReadonlyMap<string, string>): ImportedCapture | undefined {
  const [, name = '', value = ''] = setter.exec(statement) ?? [];
  if (name === '') return undefined;
  const header =
    /^(?:pm\.response\.headers\.get|res\.getHeader|postman\.getResponseHeader)\(\s*['"]([\w-]+)['"]\s*\)$/.exec(
      value,
    )?.[1];
  if (header !== undefined) return { name: toPlaceholderName(name), source: `header ${header}` };
  const source = toCaptureSource(readBodyPath(value, aliases));
  return source === undefined ? undefined : { name: toPlaceholderName(name), source };
}

export function toCaptureSource(path: string | undefined): string | undefined {
  const field = path === undefined ? undefined : toFieldPath(path);
  if (!field || field.isList || field.field === '') return undefined;
  return field.field.startsWith('[') ? `body${field.field}` : `body.${field.field}`;
}

type Expectation = { readonly subject: AssertionSubject; readonly test: AssertionTest };

function readExpectation(statement: string, aliases: ReadonlyMap<string, string>): Expectation | undefined {
  const text = statement.replace(/;\s*$/, '');
  return readResponseExpectation(text) ?? readChaiExpectation(text, aliases) ?? readLegacy(text, aliases);
}

/** `pm.response.to.have.status(200)` and its relatives. */
function readResponseExpectation(text: string): Expectation | undefined {
  const status = /^pm\.response\.to\.have\.status\(\s*(\d{3})\s*\)$/.exec(text)?.[1];
  if (status !== undefined) return { subject: { kind: 'status' }, test: { kind: 'equals', value: status } };
  const named =
    /^pm\.response\.to\.be\.(ok|success|json|notFound|unauthorized|forbidden|badRequest|clientError|serverError|redirection|accepted)$/.exec(
      text,
    )?.[1];
  const statuses: Readonly<Record<string, string>> = {
    notFound: '404',
    unauthorized: '401',
    forbidden: '403',
    badRequest: '400',
    accepted: '202',
    ok: '200',
  };
  const classes: Readonly<Record<string, string>> = {
    success: '2',
    clientError: '4',
    serverError: '5',
    redirection: '3',
  };
  if (named === 'json')
    return { subject: { kind: 'header', name: 'Content-Type' }, test: { kind: 'contains', value: 'json' } };
  if (named !== undefined && statuses[named] !== undefined)
    return { subject: { kind: 'status' }, test: { kind: 'equals', value: statuses[named] } };
  if (named !== undefined && classes[named] !== undefined)
    return { subject: { kind: 'status' }, test: { kind: 'one-of', values: [`${classes[named]}00`] } };
  const [, header = '', value] =
    /^pm\.response\.to\.have\.header\(\s*['"]([\w-]+)['"](?:\s*,\s*['"]([^'"]*)['"])?\s*\)$/.exec(text) ?? [];
  if (header !== '')
    return {
      subject: { kind: 'header', name: header },
      test: value === undefined ? { kind: 'exists' } : { kind: 'equals', value },
    };
  const field = /^pm\.response\.to\.have\.jsonBody\(\s*['"]([^'"]+)['"]\s*\)$/.exec(text)?.[1];
  const path = field === undefined ? undefined : toFieldPath(field);
  return path ? { subject: { kind: 'body', path }, test: { kind: 'exists' } } : undefined;
}

/** `expect(subject).to.…`, as chai writes it. */
function readChaiExpectation(text: string, aliases: ReadonlyMap<string, string>): Expectation | undefined {
  const [subjectText, rest] = splitExpect(text);
  const subject = subjectText === '' ? undefined : readSubject(subjectText, aliases);
  if (!subject) return undefined;
  const chain = rest.replaceAll(/\b(?:to|be|been|is|that|which|and|has|have|with|at|of|same|deep|a|an)\.(?=\w)/g, '');
  const property = /^property\(\s*['"]([^'"]+)['"]\s*(?:,\s*(.+?)\s*)?\)$/.exec(chain);
  if (property && subject.kind === 'body') return readProperty(subject.path.field, property[1] ?? '', property[2]);
  const lengthOf = /^length(?:Of)?\(\s*(\d+)\s*\)$/.exec(chain)?.[1];
  if (lengthOf !== undefined && subject.kind === 'body')
    return { subject: { kind: 'length', path: subject.path }, test: { kind: 'equals', value: lengthOf } };
  const test = readChaiTest(chain);
  return test && { subject, test };
}

/** What stands in the brackets of `expect(…)`, without a message behind it, and what follows the dot. */
function splitExpect(text: string): readonly [subject: string, rest: string] {
  const start = /^(?:pm\.)?expect\(/.exec(text)?.[0].length;
  if (start === undefined) return ['', ''];
  let depth = 1;
  let end = start;
  for (; end < text.length && depth > 0; end += 1) {
    if (text[end] === '(') depth += 1;
    else if (text[end] === ')') depth -= 1;
  }
  const inner = text.slice(start, end - 1).trim();
  const rest = /^\.(.+)$/.exec(text.slice(end))?.[1] ?? '';
  return [rest === '' ? '' : inner.replace(/\s*,\s*(?:'[^']*'|"[^"]*")$/, ''), rest];
}

function readProperty(field: string, name: string, value: string | undefined): Expectation | undefined {
  const path = toFieldPath(`${field}${/^[.[]/.test(name) || field === '' ? '' : '.'}${name}`);
  if (!path) return undefined;
  const literal = value === undefined ? undefined : readLiteral(value);
  if (value !== undefined && literal === undefined) return undefined;
  return {
    subject: { kind: 'body', path },
    test: literal === undefined ? { kind: 'exists' } : { kind: 'equals', value: literal },
  };
}

function readSubject(text: string, aliases: ReadonlyMap<string, string>): AssertionSubject | undefined {
  if (/^(?:pm\.response\.code|res\.status|res\.getStatus\(\)|responseCode\.code)$/.test(text))
    return { kind: 'status' };
  if (/^(?:pm\.response\.responseTime|res\.responseTime|res\.getResponseTime\(\))$/.test(text))
    return { kind: 'duration' };
  if (/^pm\.response\.text\(\)$/.test(text)) return { kind: 'text' };
  const header = /^(?:pm\.response\.headers\.get|res\.getHeader)\(\s*['"]([\w-]+)['"]\s*\)$/.exec(text)?.[1];
  if (header !== undefined) return { kind: 'header', name: header };
  const sized = /^(.+)\.length$/.exec(text)?.[1];
  const listPath = sized === undefined ? undefined : readBodyPath(sized, aliases);
  const list = listPath === undefined ? undefined : toFieldPath(listPath);
  if (list) return { kind: 'length', path: list };
  const path = readBodyPath(text, aliases);
  const field = path === undefined ? undefined : toFieldPath(path);
  return field && { kind: 'body', path: field };
}

function readLiteral(text: string): string | undefined {
  const [, single, double, plain] = literalForm.exec(text.trim()) ?? [];
  const quoted = single ?? double;
  return quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1');
}

const chaiTypes: Readonly<Record<string, 'list' | 'object' | 'number' | 'boolean'>> = {
  array: 'list',
  object: 'object',
  number: 'number',
  boolean: 'boolean',
};

function readChaiTest(chain: string): AssertionTest | undefined {
  const [, word = '', argument = ''] = /^(\w+(?:\.\w+)*)\s*(?:\((.*)\))?$/.exec(chain) ?? [];
  const literal = readLiteral(argument);
  if (/^(?:equal|equals|eq|eql|eqls)$/.test(word) && literal !== undefined) return { kind: 'equals', value: literal };
  if (/^not\.(?:equal|equals|eq|eql)$/.test(word) && literal !== undefined) return { kind: 'differs', value: literal };
  if (/^(?:include|includes|contain|contains|string|include\.string)$/.test(word) && literal !== undefined)
    return { kind: 'contains', value: literal };
  const pattern = /^\/((?:[^/\\]|\\.)+)\/$/.exec(argument)?.[1];
  if (word === 'match' && pattern !== undefined) return { kind: 'matches', value: pattern.replaceAll('\\/', '/') };
  const signs: Readonly<Record<string, '>' | '>=' | '<' | '<='>> = {
    above: '>',
    gt: '>',
    greaterThan: '>',
    least: '>=',
    gte: '>=',
    below: '<',
    lt: '<',
    lessThan: '<',
    most: '<=',
    lte: '<=',
  };
  const sign = signs[word];
  if (sign !== undefined && literal !== undefined && /^-?\d/.test(literal))
    return { kind: 'compares', sign, value: literal };
  if (word === 'true' || word === 'false' || word === 'null') return { kind: 'equals', value: word };
  if (/^(?:exist|not\.undefined)$/.test(word)) return { kind: 'exists' };
  if (/^(?:undefined|not\.exist)$/.test(word)) return { kind: 'absent' };
  if (word === 'empty') return { kind: 'empty' };
  if (word === 'not.empty') return { kind: 'not-empty' };
  const type = /^(?:a|an)$/.test(word) ? chaiTypes[literal ?? ''] : undefined;
  if (type) return { kind: 'type', type };
  const list = /^oneOf$/.test(word)
    ? /^\[(.*)\]$/
        .exec(argument)?.[1]
        ?.split(',')
        .map((each) => readLiteral(each))
    : undefined;
  return list?.every((each) => each !== undefined) ? { kind: 'one-of', values: list } : undefined;
}

/** `tests["x"] = responseCode.code === 200`. */
function readLegacy(text: string, aliases: ReadonlyMap<string, string>): Expectation | undefined {
  const [, left = '', right = ''] = /^tests\[.+?\]\s*=\s*(.+?)\s*===?\s*(.+)$/.exec(text) ?? [];
  const subject = left === '' ? undefined : readSubject(left, aliases);
  const literal = readLiteral(right);
  return subject && literal !== undefined ? { subject, test: { kind: 'equals', value: literal } } : undefined;
}
