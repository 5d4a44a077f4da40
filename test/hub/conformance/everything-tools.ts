/** The tools that the conformance suite calls by name. Those that ask something do so in the newest era's way; the SDK puts it into the older one's. */
import {
  acceptedContent,
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { address, enums, form, pixel, primitives, schema2020, silence } from './fixtures.ts';

type Answer = CallToolResult | InputRequiredResult;
type Arguments = Record<string, unknown>;
type Handler = (args: Arguments, ctx: ServerContext) => Answer | Promise<Answer>;

/** Makes a state that cannot be altered unseen. */
export type Seal = (payload: unknown) => Promise<string>;

/** What tools change. */
export type Changing = { toolsChanged(): void; promptsChanged(): void };

const stepMs = 30;
const step = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, stepMs));
const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const ask = (message: string, requestedSchema: object) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {}, ...requestedSchema } });
const sample = (words: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens });

/** Registers all of them. */
export function registerTools(server: McpServer, seal: Seal, changing: Changing): void {
  const tools = { ...contentTools, ...noisyTools, ...askingTools(seal), ...changingTools(changing) };
  for (const [name, handler] of Object.entries(tools)) {
    const inputSchema = fromJsonSchema<Arguments>(schemas[name] ?? { type: 'object', properties: {} });
    server.registerTool(name, { description: `The tool ${name}`, inputSchema }, handler);
  }
}

const mirrored = { type: 'string' as const, 'x-mcp-header': 'Region' };
const schemas: Readonly<Record<string, Parameters<typeof fromJsonSchema>[0]>> = {
  json_schema_2020_12_tool: schema2020,
  test_sampling: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  test_x_mcp_header: {
    type: 'object',
    properties: { region: mirrored, query: { type: 'string' } },
    required: ['region'],
  },
};

const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };

const contentTools: Readonly<Record<string, Handler>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      ...text('Multiple content types test:').content,
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  json_schema_2020_12_tool: () => text('called'),
  test_x_mcp_header: ({ region }) => text(`in ${String(region)}`),
};

const noisyTools: Readonly<Record<string, Handler>> = {
  test_tool_with_logging: async (_args, { mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await step();
    }
    return text('Tool with logging executed successfully');
  },
  test_logging_tool: async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'a line that only those hear who asked for it');
    return text('logged');
  },
  test_tool_with_progress: async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: progressToken ?? 0, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
      await step();
    }
    return text('done');
  },
};

function changingTools({ toolsChanged, promptsChanged }: Changing): Readonly<Record<string, Handler>> {
  return {
    test_trigger_tool_change: () => {
      toolsChanged();
      return text('changed');
    },
    test_trigger_prompt_change: () => {
      promptsChanged();
      return text('changed');
    },
  };
}

/** Asks once, and answers with `told`. */
function asking(key: string, request: () => ReturnType<typeof ask>, told: (answer: unknown) => string): Handler {
  return (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, key);
    if (answer.kind === 'missing') return inputRequired({ inputRequests: { [key]: request() } });
    return text(told(answer));
  };
}

function askingTools(seal: Seal): Readonly<Record<string, Handler>> {
  const confirming: Handler = async (_args, { mcpReq }) => {
    const ok = acceptedContent(mcpReq.inputResponses, 'confirm');
    if (ok && mcpReq.requestState() !== undefined) return text('state-ok');
    const confirm = ask('Please confirm', form({ ok: { type: 'boolean' } }));
    return inputRequired({ inputRequests: { confirm }, requestState: await seal({ round: 1 }) });
  };
  return {
    test_sampling: ({ prompt }, ctx) =>
      asking(
        'answer',
        () => sample(String(prompt)),
        (answer) => `LLM response: ${JSON.stringify(answer)}`,
      )({}, ctx),
    test_elicitation: ({ message }, ctx) =>
      asking(
        'answer',
        () => ask(String(message), address),
        (answer) => `User response: ${JSON.stringify(answer)}`,
      )({}, ctx),
    test_elicitation_sep1034_defaults: asking('form', () => ask('Please review', primitives), completed),
    test_elicitation_sep1330_enums: asking('form', () => ask('Please select', enums), completed),
    test_streaming_elicitation: asking('answer', () => ask('Your answer', address), completed),
    test_missing_capability: asking('answer', () => sample('anything'), completed),
    test_input_required_result_elicitation: (_args, { mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, 'user_name');
      if (typeof given?.name === 'string') return text(`Hello, ${given.name}!`);
      const user_name = ask('What is your name?', form({ name: { type: 'string' } }));
      return inputRequired({ inputRequests: { user_name } });
    },
    test_input_required_result_sampling: asking(
      'capital_question',
      () => sample('What is the capital of France?'),
      completed,
    ),
    test_input_required_result_list_roots: asking('client_roots', () => inputRequired.listRoots(), completed),
    test_input_required_result_request_state: confirming,
    test_input_required_result_tampered_state: confirming,
    test_input_required_result_multiple_inputs: severalInputs(seal),
    test_input_required_result_multi_round: severalRounds(seal),
    test_input_required_result_capabilities: (_args, { mcpReq }) => {
      if (mcpReq.inputResponses) return text('done');
      const { sampling, elicitation } = Object(Object(mcpReq.envelope)[capabilitiesKey]);
      const inputRequests = {
        ...(sampling ? { sampled: sample('anything') } : {}),
        ...(elicitation ? { elicited: ask('anything', address) } : {}),
      };
      return inputRequired({ inputRequests, requestState: 'none' });
    },
  };
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const completed = (answer: unknown): string => `Elicitation completed: ${JSON.stringify(answer)}`;

function severalInputs(seal: Seal): Handler {
  return async (_args, { mcpReq }) => {
    const given = Object.keys(mcpReq.inputResponses ?? {});
    if (['user_name', 'greeting', 'client_roots'].every((key) => given.includes(key))) return text('all there');
    const inputRequests = {
      user_name: ask('What is your name?', form({ name: { type: 'string' } })),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await seal({ round: 1 }) });
  };
}

function severalRounds(seal: Seal): Handler {
  return async (_args, { mcpReq }) => {
    const { step1, step2 } = Object(mcpReq.inputResponses);
    if (step2) return text('finished');
    if (step1) {
      const inputRequests = { step2: ask('Step 2: What is your favorite color?', form({ color: { type: 'string' } })) };
      return inputRequired({ inputRequests, requestState: await seal({ round: 2 }) });
    }
    const inputRequests = { step1: ask('Step 1: What is your name?', form({ name: { type: 'string' } })) };
    return inputRequired({ inputRequests, requestState: await seal({ round: 1 }) });
  };
}
