/**
 * The tools that the conformance suite calls by name. Their questions use the newest era's way; the SDK translates them
 * for the older one.
 */
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
import { describeJob, jobNames } from './everything-tasks.ts';
import {
  contactSchema,
  createFormSchema,
  enumsSchema,
  pixel,
  primitivesSchema,
  schema2020,
  silence,
} from './fixtures.ts';

type ToolResponse = CallToolResult | InputRequiredResult;
type Arguments = Record<string, unknown>;
type Handler = (args: Arguments, ctx: ServerContext) => ToolResponse | Promise<ToolResponse>;

/** Creates a tamper-proof request state. */
export type SealState = (payload: unknown) => Promise<string>;

export type ChangeEvents = { toolsChanged(): void; promptsChanged(): void };

const stepMs = 30;
const step = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, stepMs));
const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const createElicitation = (message: string, requestedSchema: object) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {}, ...requestedSchema } });
const createSampling = (value: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: value } }], maxTokens });

export function registerTools(server: McpServer, sealState: SealState, changeEvents: ChangeEvents): void {
  const tools = {
    ...contentTools,
    ...jobTools,
    ...notifyingTools,
    ...askingTools(sealState),
    ...changingTools(changeEvents),
  };
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool(name, { description: `The tool ${name}`, inputSchema: getInputSchema(name) }, handler);
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

const compiledSchemas = new Map<string, ReturnType<typeof fromJsonSchema<Arguments>>>();

/** Compiled once: a server of the newest era is created for each request. */
function getInputSchema(name: string): ReturnType<typeof fromJsonSchema<Arguments>> {
  const known = compiledSchemas.get(name);
  if (known !== undefined) return known;
  const compiled = fromJsonSchema<Arguments>(schemas[name] ?? { type: 'object', properties: {} });
  compiledSchemas.set(name, compiled);
  return compiled;
}

const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' };

/** With tasks where the client knows them. */
const jobTools: Readonly<Record<string, Handler>> = Object.fromEntries(
  jobNames.map((name): [string, Handler] => [name, (args) => text(describeJob(name, args))]),
);

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

const notifyingTools: Readonly<Record<string, Handler>> = {
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

function changingTools({ toolsChanged, promptsChanged }: ChangeEvents): Readonly<Record<string, Handler>> {
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

/** Asks once, and returns the formatted answer. */
function createAskingTool(
  key: string,
  request: () => ReturnType<typeof createElicitation>,
  format: (response: unknown) => string,
): Handler {
  return (_args, { mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, key);
    if (response.kind === 'missing') return inputRequired({ inputRequests: { [key]: request() } });
    return text(format(response));
  };
}

function askingTools(sealState: SealState): Readonly<Record<string, Handler>> {
  const confirmingTool: Handler = async (_args, { mcpReq }) => {
    const ok = acceptedContent(mcpReq.inputResponses, 'confirm');
    if (ok && mcpReq.requestState() !== undefined) return text('state-ok');
    const confirm = createElicitation('Please confirm', createFormSchema({ ok: { type: 'boolean' } }));
    return inputRequired({ inputRequests: { confirm }, requestState: await sealState({ round: 1 }) });
  };
  return {
    test_sampling: ({ prompt }, ctx) =>
      createAskingTool(
        'answer',
        () => createSampling(String(prompt)),
        (response) => `LLM response: ${JSON.stringify(response)}`,
      )({}, ctx),
    test_elicitation: ({ message }, ctx) =>
      createAskingTool(
        'answer',
        () => createElicitation(String(message), contactSchema),
        (response) => `User response: ${JSON.stringify(response)}`,
      )({}, ctx),
    test_elicitation_sep1034_defaults: createAskingTool(
      'form',
      () => createElicitation('Please review', primitivesSchema),
      formatCompleted,
    ),
    test_elicitation_sep1330_enums: createAskingTool(
      'form',
      () => createElicitation('Please select', enumsSchema),
      formatCompleted,
    ),
    test_streaming_elicitation: createAskingTool(
      'answer',
      () => createElicitation('Your answer', contactSchema),
      formatCompleted,
    ),
    test_missing_capability: createAskingTool('answer', () => createSampling('anything'), formatCompleted),
    test_input_required_result_elicitation: (_args, { mcpReq }) => {
      const receivedKeys = acceptedContent(mcpReq.inputResponses, 'user_name');
      if (typeof receivedKeys?.name === 'string') return text(`Hello, ${receivedKeys.name}!`);
      const user_name = createElicitation('What is your name?', createFormSchema({ name: { type: 'string' } }));
      return inputRequired({ inputRequests: { user_name } });
    },
    test_input_required_result_sampling: createAskingTool(
      'capital_question',
      () => createSampling('What is the capital of France?'),
      formatCompleted,
    ),
    test_input_required_result_list_roots: createAskingTool(
      'client_roots',
      () => inputRequired.listRoots(),
      formatCompleted,
    ),
    test_input_required_result_request_state: confirmingTool,
    test_input_required_result_tampered_state: confirmingTool,
    test_input_required_result_multiple_inputs: createMultiInputTool(sealState),
    test_input_required_result_multi_round: createMultiRoundTool(sealState),
    test_input_required_result_capabilities: (_args, { mcpReq }) => {
      if (mcpReq.inputResponses) return text('done');
      const { sampling, elicitation } = Object(Object(mcpReq.envelope)[capabilitiesKey]);
      const inputRequests = {
        ...(sampling ? { sampled: createSampling('anything') } : {}),
        ...(elicitation ? { elicited: createElicitation('anything', contactSchema) } : {}),
      };
      return inputRequired({ inputRequests, requestState: 'none' });
    },
  };
}

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const formatCompleted = (response: unknown): string => `Elicitation completed: ${JSON.stringify(response)}`;

function createMultiInputTool(sealState: SealState): Handler {
  return async (_args, { mcpReq }) => {
    const receivedKeys = Object.keys(mcpReq.inputResponses ?? {});
    if (['user_name', 'greeting', 'client_roots'].every((key) => receivedKeys.includes(key))) return text('all there');
    const inputRequests = {
      user_name: createElicitation('What is your name?', createFormSchema({ name: { type: 'string' } })),
      greeting: createSampling('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await sealState({ round: 1 }) });
  };
}

function createMultiRoundTool(sealState: SealState): Handler {
  return async (_args, { mcpReq }) => {
    const { step1, step2 } = Object(mcpReq.inputResponses);
    if (step2) return text('finished');
    if (step1) {
      const inputRequests = {
        step2: createElicitation(
          'Step 2: What is your favorite color?',
          createFormSchema({ color: { type: 'string' } }),
        ),
      };
      return inputRequired({ inputRequests, requestState: await sealState({ round: 2 }) });
    }
    const inputRequests = {
      step1: createElicitation('Step 1: What is your name?', createFormSchema({ name: { type: 'string' } })),
    };
    return inputRequired({ inputRequests, requestState: await sealState({ round: 1 }) });
  };
}
