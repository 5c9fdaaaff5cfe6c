#!/usr/bin/env node
import '@agent-mux/cli/bin';
