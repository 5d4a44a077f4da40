/**
 * Tools with which an approver decides from an MCP client, where the policy of the hub offers them. The tools give a model neither the
 * arguments of a call nor the digest: the client shows both to its person in a form, and the person answers with the beginning of the digest.
 * A client that lets a model answer forms gives that guarantee away.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { HubApprovalDetails } from '../../contract/hubs/approvals-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { markHiddenCharacters } from '../../json/visible-text.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { CallPolicy } from '../policy/call-policy.ts';
import { isProtocolError } from '../protocol/protocol-errors.ts';
import type { UpstreamQuestion } from '../upstream/upstream-call.ts';
import type { ApprovalsOfPrincipal } from './approval-decisions.ts';

/** The names have no separator, so they belong to no connection. */
const listApprovalsTool: Tool = {
  name: 'list_approvals',
  title: 'Calls that wait for your approval',
  description: 'Lists the calls of other people that you may approve or deny, without their arguments.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const decideApprovalTool: Tool = {
  name: 'decide_approval',
  title: 'Decide a call that waits',
  description:
    'Shows a call that waits for an approval to the person in front of this client, in a form, and takes their decision. You cannot decide yourself.',
  inputSchema: {
    type: 'object',
    properties: { approval: { type: 'string', description: 'Id of the approval, as list_approvals returns it.' } },
    required: ['approval'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

const ListInput = Type.Object({}, { additionalProperties: false });
const DecideInput = Type.Object(
  { approval: Type.String({ minLength: 1, maxLength: 40 }) },
  { additionalProperties: false },
);
const FormContent = Type.Object({
  decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
  digest: Type.String({ maxLength: 100 }),
  comment: Type.Optional(Type.String({ maxLength: 300 })),
});
const FormAnswer = Type.Object({ action: Type.Literal('accept'), content: FormContent });

export type AskPerson = (question: UpstreamQuestion) => Promise<Record<string, unknown>>;

export type ApprovalToolsDependencies = {
  readonly approvals: ApprovalsOfPrincipal;
  readonly policy: Required<Pick<CallPolicy, 'offersClientApprovals'>>;
  /** The page of the console where the approval is decided. */
  readonly getPageUrl: (hub: string, approval: string) => string;
};

export type ApprovalToolCall = {
  readonly principal: HubPrincipal;
  readonly name: string;
  readonly arguments: unknown;
  /** Undefined if the client shows no forms. */
  readonly ask: AskPerson | undefined;
  /** The caller as it is authenticated now; a form may be open for long. */
  authenticate(): Promise<HubPrincipal | undefined>;
};

const tools: readonly Tool[] = [decideApprovalTool, listApprovalsTool];
/** A person does not review more in a form. */
const maxFormChars = 12_000;
const digestChars = 6;

export class ApprovalTools {
  readonly #dependencies: ApprovalToolsDependencies;

  constructor(dependencies: ApprovalToolsDependencies) {
    this.#dependencies = dependencies;
  }

  has(name: string): boolean {
    return tools.some((tool) => tool.name === name);
  }

  /** Empty for everybody but approvers of a hub whose policy offers them. */
  async list(principal: HubPrincipal): Promise<readonly Tool[]> {
    return (await this.#isOffered(principal)) ? tools : [];
  }

  /** Throws HUB_TOOL_UNKNOWN, HUB_TOOL_ARGUMENTS_INVALID, HUB_APPROVAL_*. */
  async call(call: ApprovalToolCall): Promise<CallToolResult> {
    const { principal, name } = call;
    if (!(await this.#isOffered(principal))) throw vpError('HUB_TOOL_UNKNOWN', { name });
    if (name === decideApprovalTool.name) return this.#decide(call);
    parseInput(name, ListInput, call.arguments);
    return this.#listOpen(principal);
  }

  async #isOffered(principal: HubPrincipal): Promise<boolean> {
    const { approvals, policy } = this.#dependencies;
    return (await policy.offersClientApprovals(principal.hub.id)) && approvals.isApprover(principal);
  }

  async #listOpen(principal: HubPrincipal): Promise<CallToolResult> {
    const open = await this.#dependencies.approvals.list(principal, {});
    const items = open
      .filter(({ may_decide: mayDecide }) => mayDecide)
      .map(({ approval, state, connection, tool, person, expires_at }) => ({
        ...{ approval, state, tool: `${connection}__${tool}`, person, expires_at },
      }));
    const lines = items.map(({ approval, tool, person, state }) => `${approval} ${tool} by ${person}: ${state}`);
    return createResult(lines.join('\n') || 'No call waits for you.', { approvals: items });
  }

  async #decide({ principal, name, arguments: args, ask, authenticate }: ApprovalToolCall): Promise<CallToolResult> {
    const { approval: id } = parseInput(name, DecideInput, args);
    const { approvals, getPageUrl } = this.#dependencies;
    const details = await approvals.get(principal, id);
    const { may_decide: mayDecide, state, person_id: personId, digest } = details;
    if (personId === principal.person.personId)
      throw vpError('HUB_APPROVER_INVALID', { approval: id, problem: 'it is a call of your own' });
    if (!mayDecide) throw vpError('HUB_APPROVAL_ENDED', { approval: id, state });
    const url = getPageUrl(principal.hub.slug, id);
    const message = formatForm(details);
    if (!ask || !details.is_complete || message.length > maxFormChars) {
      const reason = ask ? 'The call is too large for a form' : 'This client shows no forms';
      return createResult(`${reason}. Nothing was decided; the person decides it at ${url}`, { approval: id, url });
    }
    const params = { message, requestedSchema: formSchema };
    const answer = await ask({ method: 'elicitation/create', params }).catch((error: unknown) => {
      throw vpError('HUB_APPROVAL_FORM_ENDED', { approval: id, problem: toProblem(error), url });
    });
    const undecided = (why: string) => createResult(`Nothing was decided: ${why}`, { approval: id, decision: null });
    if (!Value.Check(FormAnswer, answer)) return undecided('the form was not completed');
    const { decision, comment } = answer.content;
    if (answer.content.digest.trim() !== getDigestStart(digest))
      return undecided('the characters are not those of the call that was shown');
    const current = await authenticate();
    if (!current) return undecided('you are no longer authenticated');
    const input = { decision, digest, ...(comment === undefined || comment === '' ? {} : { comment }) };
    const decided = await approvals.decide(current, id, input);
    return createResult(`The person chose: ${decision}. The call is ${decided.state}.`, { approval: id, decision });
  }
}

/** The words of a client are in no log and not repeated to its model. */
function toProblem(error: unknown): string {
  return isProtocolError(error) ? 'the client returned an error or has left' : toMessage(error);
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : 'the client has left');

/** Without the prefix that all digests have. */
function getDigestStart(digest: string): string {
  return digest.slice(2, 2 + digestChars);
}

const formSchema = {
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
    digest: {
      type: 'string',
      title: 'The characters at the end of the text',
      minLength: digestChars,
      maxLength: digestChars,
    },
    comment: { type: 'string', title: 'Comment for the caller', maxLength: 300 },
  },
  required: ['decision', 'digest'],
} as const;

/** People and clients choose their names themselves. */
const markLine = (text: string): string => markHiddenCharacters(text).replaceAll(/[\r\n]/g, ' ');

/** Everything that the server would get, with what cannot be seen marked. */
function formatForm(details: HubApprovalDetails): string {
  const { connection, tool, person, role, via, via_name: viaName, client, expires_at: until, lines, marks } = details;
  const markTexts = marks.map(({ character, count }) => `${character} ×${count}`).join(', ');
  return [
    markLine(`${person} (${role}) wants to call ${connection}__${tool}`),
    markLine(`with ${via}${viaName === null ? '' : ` ${viaName}`}, client ${client ?? 'not stated'}; until ${until}.`),
    'The server would get:',
    ...lines,
    ...(markTexts === '' ? [] : [`Marked characters: ${markTexts}`]),
    `Approve exactly this call, once? To decide, enter these characters: ${getDigestStart(details.digest)}`,
  ].join('\n');
}

/** Throws HUB_TOOL_ARGUMENTS_INVALID. */
function parseInput<S extends TSchema>(tool: string, schema: S, input: unknown): Static<S> {
  if (Value.Check(schema, input)) return input;
  const first = Value.Errors(schema, input).First();
  const problem = `${first?.path.slice(1) ?? ''}: ${first?.message ?? 'not valid'}`;
  throw vpError('HUB_TOOL_ARGUMENTS_INVALID', { tool, problem });
}

function createResult(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}
