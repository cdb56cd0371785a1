"""The recovery report in words: Markdown for a ticket, one HTML file to read and to keep."""
