/** Groups blocks into title, preamble and sections. Reports unknown, duplicate, misplaced and missing ones. */
import type { ReportProblem } from '../check/check-kind.ts';
import { findSuggestion } from '../errors/suggestion.ts';
import type { ErrorCode } from '../errors/table.ts';
import type { ErrorValues } from '../errors/vp-error.ts';
import type { Block, Heading } from './blocks.ts';
import { formatList } from './format-list.ts';
import {
  findSection,
  formatHeading,
  type SectionDefinition,
  type SectionName,
  sectionDefinitions,
} from './sections.ts';

/** A section with its blocks up to the heading of the next section. */
export type Section = {
  readonly definition: SectionDefinition;
  readonly heading: Heading;
  readonly blocks: readonly Block[];
};

/** The parts of a file in their order. Blocks of unknown and duplicate sections are reported and omitted. */
export type Outline = {
  readonly title: Heading | undefined;
  /** Before the title; never executed. */
  readonly lead: readonly Block[];
  /** Between title and first section; never executed. */
  readonly preamble: readonly Block[];
  readonly sections: readonly Section[];
};

type OpenSection = Section & { readonly blocks: Block[] };

const titleStart = /^scenario\b/i;

class OutlineBuilder {
  title: Heading | undefined;
  readonly lead: Block[] = [];
  readonly preamble: Block[] = [];
  readonly sections: OpenSection[] = [];
  /** The list that receives the next blocks. */
  #blocks: Block[] = this.lead;
  #current: SectionDefinition | undefined;
  /** What follows the title of a second scenario is not read. */
  #hasSecondTitle = false;
  readonly #report: ReportProblem;

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  add(block: Block): void {
    if (this.#hasSecondTitle) return;
    const heading = block.kind === 'heading' ? block : this.#findHeadingWithoutSpace(block);
    if (heading === undefined || this.#isProse(heading)) this.#blocks.push(block);
    else if (titleStart.test(heading.name.text)) this.#addTitle(heading);
    else this.#addHeading(heading);
  }

  /** `##TRIGGER` is not a heading in Markdown, but in a scenario it is always meant as one. */
  #findHeadingWithoutSpace(block: Block): Heading | undefined {
    if (block.kind !== 'text') return undefined;
    const [line] = block.lines;
    const match = /^ {0,3}(#{1,6})([^\s#].*)$/.exec(line.text);
    const [, marks = '', rest = ''] = match ?? [];
    const isKnown = findSection(rest.trim()) !== undefined || /^scenario\s*:/i.test(rest);
    if (match === null || !isKnown) return undefined;
    const start = line.end - rest.length;
    this.#report('SCENARIO_HEADING_SPACE', start - marks.length, line.end, { marks, name: rest.trim() });
    return { kind: 'heading', depth: marks.length, name: { text: rest.trim(), start }, lines: block.lines };
  }

  /** Prose may contain headings below the level of sections; those of steps are read with their section. */
  #isProse(heading: Heading): boolean {
    const mayHaveProse = this.#current === undefined || this.#current.prose || this.#current.holdsSteps === true;
    return mayHaveProse && heading.depth > 2 && findSection(heading.name.text) === undefined;
  }

  #reportHeading<C extends ErrorCode>(code: C, heading: Heading, values: ErrorValues<C>): void {
    this.#report(code, heading.lines[0].start, heading.lines[0].end, values);
  }

  #addTitle(heading: Heading): void {
    if (this.title !== undefined) {
      this.#reportHeading('SCENARIO_TITLE_DOUBLED', heading, { line: this.title.lines[0].number });
      this.#hasSecondTitle = true;
      return;
    }
    if (heading.depth !== 1) this.#reportHeading('SCENARIO_TITLE_LEVEL', heading, { title: heading.name.text });
    this.title = heading;
    if (this.sections.length === 0) this.#blocks = this.preamble;
    else this.#reportHeading('SCENARIO_TITLE_LATE', heading, {});
  }

  #addHeading(heading: Heading): void {
    const exact = findSection(heading.name.text);
    const definition = exact ?? this.#findMisspelledSection(heading);
    if (definition === undefined) return;
    if (exact !== undefined && heading.depth !== definition.depth) {
      this.#reportHeading('SCENARIO_SECTION_LEVEL', heading, {
        written: heading.lines[0].text.trim(),
        right: formatHeading(definition),
      });
    }
    this.#openSection(definition, heading);
  }

  /** Reports an unknown heading; a misspelled section that is still missing is parsed as that section. */
  #findMisspelledSection(heading: Heading): SectionDefinition | undefined {
    const name = heading.name.text;
    if (heading.depth === 1 && this.title === undefined) {
      this.#reportHeading('SCENARIO_TITLE_INVALID', heading, { title: name });
      this.title = heading;
      this.#blocks = this.preamble;
      return undefined;
    }
    const names = sectionDefinitions.map((section) => section.name);
    const suggestion = findSection(findSuggestion(name, names) ?? '');
    const cure = suggestion
      ? `did you mean \`${formatHeading(suggestion)}\`?`
      : `the sections are ${formatList(sectionDefinitions.filter(({ isWritten }) => !isWritten).map(formatHeading))}`;
    this.#reportHeading('SCENARIO_SECTION_UNKNOWN', heading, { section: name, cure });
    if (suggestion !== undefined && !this.#hasSection(suggestion.name)) return suggestion;
    this.#discardBlocks();
    return undefined;
  }

  #hasSection(name: SectionName): boolean {
    return this.sections.some((section) => section.definition.name === name);
  }

  #openSection(definition: SectionDefinition, heading: Heading): void {
    const earlier = this.sections.find((section) => section.definition.name === definition.name);
    if (earlier !== undefined) {
      this.#reportHeading('SCENARIO_SECTION_DOUBLED', heading, {
        section: definition.name,
        line: earlier.heading.lines[0].number,
      });
      this.#discardBlocks();
      return;
    }
    if (definition.within !== undefined && this.#current?.name !== definition.within) {
      this.#reportHeading('SCENARIO_SECTION_MISPLACED', heading, {
        section: definition.name,
        within: definition.within,
      });
    }
    const section = { definition, heading, blocks: [] };
    this.sections.push(section);
    this.#current = definition;
    this.#blocks = section.blocks;
  }

  #discardBlocks(): void {
    this.#blocks = [];
  }
}

/** After an unclosed fence or comment (`isCut`) it is unknown whether a section is missing, so nothing is reported. */
function reportMissing(outline: Outline, isCut: boolean, report: ReportProblem): void {
  if (outline.title === undefined) report('SCENARIO_TITLE_MISSING', 0, 0, {});
  const heading = outline.title?.lines[0];
  const start = heading?.start ?? 0;
  const end = heading?.end ?? 0;
  if (isCut) return;
  const has = (name: SectionName): boolean => outline.sections.some((section) => section.definition.name === name);
  for (const definition of sectionDefinitions) {
    const { name, required, within, example } = definition;
    if (!required || has(name) || (within !== undefined && !has(within))) continue;
    const parent = outline.sections.find((section) => section.definition.name === within)?.heading.lines[0];
    const values = { section: formatHeading(definition), example: example.split('\n')[0] ?? '' };
    report('SCENARIO_SECTION_MISSING', parent?.start ?? start, parent?.end ?? end, values);
  }
}

/** Sorts blocks into sections. */
export function readOutline(blocks: readonly Block[], report: ReportProblem): Outline {
  const builder = new OutlineBuilder(report);
  for (const block of blocks) builder.add(block);
  const last = blocks.at(-1);
  reportMissing(builder, last !== undefined && 'unclosed' in last, report);
  return builder;
}
