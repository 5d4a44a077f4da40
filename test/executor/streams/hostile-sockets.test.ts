/** WebSockets of targets that break their protocols. */
import { testHostileStreams } from './hostile-streams.ts';

testHostileStreams('sockets', 61);
