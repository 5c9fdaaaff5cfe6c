#!/usr/bin/env python3
"""A to-do list that speaks the external protocol of agent-mux. Python 3.8 or newer, standard library only.

    add milk        adds an item
    list            prints the list
    save            requests permission, writes todo.md and returns it as a file
    count 100       counts slowly, to try stopping a turn
    anything else   is echoed

Attached files are read, one item per line. Every session has its own list and thread.
"""
import json
import os
import queue
import sys
import threading

output_lock = threading.Lock()


def send(message):
    """Sends one message as one line. The lock keeps lines of concurrent sessions apart."""
    with output_lock:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


class Stopped(Exception):
    """The user stopped the turn."""


class Session:
    def __init__(self, session_id, cwd):
        self.session_id = session_id
        self.cwd = cwd
        self.items = []
        self.files = []
        self.requests = 0
        self.answers = queue.Queue()
        self.inputs = queue.Queue()
        self.stop = threading.Event()
        threading.Thread(target=self.work, daemon=True).start()

    def tell(self, message_type, **fields):
        send({"type": message_type, "session_id": self.session_id, **fields})

    def say(self, text):
        """Sends text word by word, like a model."""
        for word in text.split(" "):
            if self.stop.is_set():
                raise Stopped
            self.tell("output", content=word + " ", channel="stdout")

    def work(self):
        while True:
            content = self.inputs.get()
            if content is None:
                return
            status = "completed"
            try:
                self.take_turn(content)
            except Stopped:
                status = "interrupted"
            except Exception as problem:  # an error of one session must not end the others
                self.tell("error", code="other", message=str(problem))
                status = "failed"
            # From here on a stop applies to the next turn.
            self.stop.clear()
            self.tell("turn.complete", status=status)

    def take_turn(self, content):
        self.read_files()
        command, _, rest = content.strip().partition(" ")
        if command == "add" and rest:
            self.items.append(rest)
            self.say("Added. There are %d items." % len(self.items))
        elif command == "list":
            self.say("\n".join("- " + item for item in self.items) or "The list is empty.")
        elif command == "save":
            self.save()
        elif command == "count":
            self.count(int(rest or 100))
        else:
            self.say("You said: " + content)

    def read_files(self):
        for path in self.files:
            with open(path, encoding="utf-8") as lines:
                self.items.extend(line.strip() for line in lines if line.strip())
        self.files.clear()

    def save(self):
        path = os.path.join(self.cwd, "todo.md")
        if not self.permitted("write_file", "Write %d items to todo.md" % len(self.items), path):
            self.say("Then nothing is written.")
            return
        with open(path, "w", encoding="utf-8") as file:
            file.writelines("- %s\n" % item for item in self.items)
        self.tell("file.output", file_name="todo.md", file_mime_type="text/markdown", file_path=path)
        self.say("Saved.")

    def permitted(self, tool, description, resource):
        """Waits for the answer, which always arrives, even if the turn is stopped or the session closed."""
        self.requests += 1
        request_id = "request-%d" % self.requests
        self.tell(
            "permission.request",
            request_id=request_id,
            tool=tool,
            description=description,
            resource=resource,
            kind="edit",
        )
        while True:
            answer = self.answers.get()
            if answer.get("request_id") == request_id:
                return answer.get("approved") is True

    def count(self, last):
        for number in range(1, last + 1):
            self.say(str(number))
            if self.stop.wait(0.05):
                raise Stopped


def main():
    sessions = {}
    for line in sys.stdin:
        try:
            message = json.loads(line)
            kind, session_id = message["type"], message["session_id"]
        except (ValueError, KeyError, TypeError):
            print("not a message: %s" % line.strip(), file=sys.stderr)
            continue
        if kind == "session.start":
            sessions[session_id] = Session(session_id, message.get("cwd") or os.getcwd())
            continue
        session = sessions.get(session_id)
        if session is None:
            continue
        if kind == "user.input":
            session.inputs.put(message.get("content", ""))
        elif kind == "file.input":
            session.files.append(message["file_path"])
        elif kind == "permission.response":
            session.answers.put(message)
        elif kind == "stop":
            session.stop.set()
        elif kind == "session.close":
            session.stop.set()
            session.inputs.put(None)
            del sessions[session_id]
        # Messages of a later version are ignored.


if __name__ == "__main__":
    main()
