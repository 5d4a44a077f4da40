/**
 * Elements of HTML and XML bodies by CSS selectors. Loaded where a scenario has such a check. Nothing outside of the body is read,
 * and no entity that a document declares is expanded; size, depth and steps are bounded, so that no body keeps an executor busy.
 */
import { selectAll } from 'css-select';
import { type ChildNode, DomHandler, Element, isTag, type ParentNode } from 'domhandler';
import * as domutils from 'domutils';
import { Parser } from 'htmlparser2';
import type { ElementSelection, SelectElements } from '../../check/observation.ts';
import { findXmlProblem } from './xml-problem.ts';

const limits = { maxLength: 4_194_304, maxDepth: 500, maxSteps: 20_000_000, maxTextLength: 16_777_216 } as const;

type Markup = { readonly children: readonly ChildNode[] } | { readonly problem: string };

class BoundedHandler extends DomHandler {
  #depth = 0;
  #parser: { readonly endIndex: number | null } | undefined;
  readonly #text: string;
  unclosed: string | undefined;

  constructor(text: string, xmlMode: boolean) {
    super(undefined, { withStartIndices: true, withEndIndices: true, xmlMode });
    this.#text = text;
  }

  override onparserinit(parser: { startIndex: number | null; endIndex: number | null }): void {
    this.#parser = parser;
    super.onparserinit(parser);
  }

  /** The parser says of `<item/>` too that its end is implied. */
  #isSelfClosing(): boolean {
    const end = this.#parser?.endIndex ?? 0;
    return this.#text.slice(end - 1, end + 1) === '/>' && this.tagStack.at(-1)?.children.length === 0;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#depth += 1;
    if (this.#depth > limits.maxDepth) throw new RangeError(`elements are nested deeper than ${limits.maxDepth}`);
    super.onopentag(name, attributes);
  }

  override onclosetag(name?: string, isImplied?: boolean): void {
    this.#depth -= 1;
    if (isImplied && !this.#isSelfClosing()) this.unclosed ??= name;
    super.onclosetag();
  }
}

function isXml(text: string, type: string): boolean {
  return /[/+]xml\b/i.test(type) || /^\s*<\?xml\b/.test(text);
}

function parseMarkup(text: string, type: string): Markup {
  if (text.length > limits.maxLength) return { problem: `a body of more than ${limits.maxLength} characters` };
  const xmlMode = isXml(text, type);
  const handler = new BoundedHandler(text, xmlMode);
  try {
    new Parser(handler, { xmlMode }).end(text);
  } catch (error) {
    return { problem: `a body that cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  // What a cut document lacks is closed by the parser; HTML leaves end tags out, XML does not.
  if (xmlMode && handler.unclosed !== undefined)
    return { problem: `XML that is not complete: \`<${handler.unclosed.slice(0, 100)}>\` is not closed` };
  const problem = xmlMode ? findXmlProblem(text) : undefined;
  if (problem !== undefined) return { problem: `XML that no parser reads: ${problem}` };
  if (!handler.dom.some((node) => node instanceof Element)) return { problem: 'a body without elements' };
  return { children: handler.dom };
}

class StepBudget {
  #remaining: number;

  constructor(steps: number) {
    this.#remaining = steps;
  }

  spend(steps: number): void {
    this.#remaining -= steps;
    if (this.#remaining < 0) throw new RangeError('too many elements for this selector');
  }
}

function toElement(element: Element, texts: StepBudget): ElementSelection['elements'][number] {
  return {
    getText() {
      const text = domutils.textContent(element);
      texts.spend(text.length + 1);
      return text.replaceAll(/\s+/g, ' ').trim();
    },
    attributes: new Map(Object.entries(element.attribs)),
    start: element.startIndex ?? 0,
    end: (element.endIndex ?? 0) + 1,
  };
}

/** The parent and the comparison of siblings are what the time of a selector depends on. */
function createAdapter(steps: StepBudget) {
  return {
    ...domutils,
    getParent(node: Element): ParentNode | null {
      steps.spend(1);
      return domutils.getParent(node);
    },
    isTag(node: ChildNode | ParentNode): node is Element {
      steps.spend(1);
      return isTag(node);
    },
    equals(a: ChildNode | ParentNode, b: ChildNode | ParentNode): boolean {
      steps.spend(1);
      return a === b;
    },
  };
}

/** Each body is parsed once for all checks of it. */
export function createElementSelector(): SelectElements {
  let last: { readonly text: string; readonly type: string; readonly markup: Markup } | undefined;
  return ({ text, type }, selector) => {
    if (last?.text !== text || last.type !== type) last = { text, type, markup: parseMarkup(text, type) };
    const { markup } = last;
    if ('problem' in markup) return markup;
    const steps = new StepBudget(limits.maxSteps);
    const texts = new StepBudget(limits.maxTextLength);
    try {
      const options = { xmlMode: isXml(text, type), adapter: createAdapter(steps) };
      const elements = selectAll<ChildNode | ParentNode, Element>(selector, [...markup.children], options);
      return { elements: elements.map((element) => toElement(element, texts)) };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  };
}
