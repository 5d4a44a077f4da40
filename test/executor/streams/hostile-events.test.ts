/** Server-sent events of targets that break their protocols. */
import { testHostileStreams } from './hostile-streams.ts';

testHostileStreams('events', 46);
