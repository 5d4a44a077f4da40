/** The sections of a scenario, in the order in which they are usually written. */

/** A section's name. */
export type SectionName =
  | 'Metadata'
  | 'STEPS'
  | 'TRIGGER'
  | 'VERIFY'
  | 'EXPECT'
  | 'Runnable'
  | 'CASES'
  | 'TIMEOUT'
  | 'CLEANUP'
  | 'FILES';

/** Definition of a section. `prose` is any text; it is never executed. */
export type SectionDefinition = {
  readonly name: SectionName;
  readonly depth: 2 | 3;
  readonly within?: SectionName;
  readonly required: boolean;
  readonly prose: boolean;
  /** Headings `### <name>` within it begin requests. */
  readonly holdsSteps?: true;
  /** Added by programs, not by authors. */
  readonly isWritten?: true;
  readonly meaning: string;
  readonly example: string;
};

export const sectionDefinitions: readonly SectionDefinition[] = [
  {
    name: 'Metadata',
    depth: 2,
    required: true,
    prose: false,
    meaning: 'who the scenario is: a list of `key: value`',
    example: '- ID: RT-GET-document\n- Layer: HTTP Ingestion\n- Tags: http',
  },
  {
    name: 'STEPS',
    depth: 2,
    required: false,
    prose: false,
    holdsSteps: true,
    meaning: 'requests to send before TRIGGER, each below a heading `### <name>`',
    example:
      '### create document\n\nPOST ${INGESTION_URL}/api/v2/document\n\n- status=201\n- capture document_id = body.id',
  },
  {
    name: 'TRIGGER',
    depth: 2,
    required: true,
    prose: false,
    meaning: 'the request that is judged: its line, its header lines, then, after a blank line or in a fence, its body',
    example: 'GET ${INGESTION_URL}/api/v2/document\nX-Request-Id: ${correlation_id}',
  },
  {
    name: 'VERIFY',
    depth: 2,
    required: false,
    prose: true,
    meaning: 'text; where the layer has a database, also queries in fences that begin with `sql`',
    example: 'Not applicable: the response is judged directly.',
  },
  {
    name: 'EXPECT',
    depth: 2,
    required: true,
    prose: false,
    meaning: 'holds `### Runnable` and nothing else',
    example: '### Runnable',
  },
  {
    name: 'Runnable',
    depth: 3,
    within: 'EXPECT',
    required: true,
    prose: false,
    meaning: 'the checks of the response to TRIGGER, each a bullet on one line',
    example: '- status=200\n- body has data',
  },
  {
    name: 'CASES',
    depth: 2,
    required: false,
    prose: false,
    meaning: 'a table; each row is a case with its own verdict, and its columns are placeholders',
    example: '| case | page | status |\n| --- | --- | --- |\n| first page | 1 | 200 |\n| page zero | 0 | 422 |',
  },
  {
    name: 'TIMEOUT',
    depth: 2,
    required: false,
    prose: false,
    meaning: 'how long each whole answer may take, in seconds from 1 to 600; 30s without this section',
    example: '30s',
  },
  {
    name: 'CLEANUP',
    depth: 2,
    required: false,
    prose: true,
    holdsSteps: true,
    meaning: 'text; and requests to send after the verdict, each below a heading `### <name>`',
    example: 'Not applicable for a GET.',
  },
  {
    name: 'FILES',
    depth: 2,
    required: false,
    prose: true,
    isWritten: true,
    meaning:
      'the files that the scenario uses, each below a heading `### <name>`; `vp` adds them to texts that leave their folder',
    example: '### orders.csv\n\n~~~\ncase,page\nfirst page,1\n~~~',
  },
];

/** The section of that name, upper and lower case alike. */
export function findSection(name: string): SectionDefinition | undefined {
  const normalized = name.toLowerCase();
  return sectionDefinitions.find((section) => section.name.toLowerCase() === normalized);
}

/** The heading as in a file, such as `## TRIGGER`. */
export function formatHeading({ depth, name }: SectionDefinition): string {
  return `${'#'.repeat(depth)} ${name}`;
}
